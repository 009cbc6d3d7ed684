"""Defects of losses with capped slopes: less noise is only right while nothing pulls harder than the cap."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "capped"
FACTS = "theory/test_losses.py::test_no_record_exceeds_the_facts"
REPLACE = "theory/test_replace_one.py::test_structured_attack_reaches_the_bound_and_never_passes_it"
TILT = "gate/models/test_planned_noise.py::test_the_tilt_leaves_the_second_noise_its_part"
MAXIMUM = "theory/accounting/test_calibrate.py::test_logistic_epsilon_is_the_maximum_of_its_formula"

DEFECTS = (
    Defect(
        "cap-forgotten-by-the-slope",
        AREA,
        "The slope of the capped logistic loss is the logistic one's.",
        "Records far on the wrong side pull with 1 where the noise is for ½: twice the ε stated.",
        edited(
            "theory.losses.capped_logistic", ("np.minimum(against(label * score), self.cap)", "against(label * score)")
        ),
        (FACTS,),
    ),
    Defect(
        "capped-diameter-is-one-slope",
        AREA,
        "Two records' gradients are said to differ by the cap, not by twice the cap.",
        "Half the noise of output perturbation and of noisy gradients.",
        edited("theory.losses.capped_logistic", ("min(2 * self.cap, mirrored", "min(self.cap, mirrored")),
        (REPLACE,),
    ),
    Defect(
        "capped-pull-halved",
        AREA,
        "A capped loss is said to push minimisers half as far as it can.",
        "Minimisers lie beyond the norm for which slopes are bounded and the solver's radius is planned.",
        edited(
            "theory.losses.capped_logistic", ("up(cap * (corner + start), FORMULA)", "up(cap * (corner + start) / 2)")
        ),
        ("theory/test_losses.py::test_pull_is_never_exceeded_and_attained",),
    ),
    Defect(
        "cap-forgotten-by-the-softmax",
        AREA,
        "The capped softmax loss has the plain one's probabilities where the cap should hold them.",
        "Its gradients are up to twice as long as its noise is made for.",
        edited(
            "theory.losses.capped_softmax",
            (
                "held = np.asarray(mine < (1 - self.cap) * whole)",
                "held = np.asarray(mine < 0 * whole)",
            ),
        ),
        (FACTS,),
    ),
    Defect(
        "softmax-slope-without-the-other-classes",
        AREA,
        "The gradient of a softmax counts what the true class lacks and forgets who has it.",
        "Noise is short by a factor of up to √2.",
        edited("theory.losses.softmax", ("up(lacking * math.sqrt(1 + alone))", "up(lacking)")),
        (FACTS,),
    ),
    Defect(
        "softmax-shared-at-any-reach",
        AREA,
        "The other classes are taken to share what the true one lacks equally, however far scores reach.",
        "Far out one class has it all: gradients are longer than stated.",
        edited(
            "theory.losses.softmax",
            ("* math.exp(-math.sqrt(2) * reach))\n    return up(lacking", "* 1.0)\n    return up(lacking"),
        ),
        (FACTS,),
    ),
    Defect(
        "softmax-corners-halved",
        AREA,
        "Gaussian objective perturbation of several classes takes the corners of the gradients to be half as far.",
        "Its tilt has half the noise.",
        edited("theory.sensitivity", (".slope / math.sqrt(2))", ".slope / math.sqrt(8))")),
        (TILT,),
    ),
    Defect(
        "other-record-left-out-of-the-capped-rate",
        AREA,
        "The exact ε of a tilted logistic loss counts the slope of one of the two records alone.",
        "A replaced record costs up to twice the ε stated.",
        edited("theory.accounting.calibrate", ("Adjacency.ADD_REMOVE else cap\n", "Adjacency.ADD_REMOVE else 0.0\n")),
        (MAXIMUM,),
    ),
    Defect(
        "capped-rate-stops-early",
        AREA,
        "The worst slope of a capped loss is looked for up to half the cap.",
        "The steepest records, and their curvature, are not counted.",
        edited("theory.accounting.calibrate", ("worst = min(worst, cap)", "worst = min(worst, cap / 2)")),
        (MAXIMUM,),
    ),
)
