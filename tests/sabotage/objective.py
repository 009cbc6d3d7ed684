"""Defects of objective perturbation."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "objective"
MECHANISMS = "gate/models/test_mechanisms.py"

DEFECTS = (
    Defect(
        "tilt-halved",
        AREA,
        "Half the drawn tilt goes into the objective.",
        "Objective perturbation costs about 2ε.",
        edited("gate.door", ("reveal() / plan.facts.n, plan)", "reveal() / plan.facts.n / 2, plan)")),
        ("gate/models/test_replayed_release.py::test_the_whole_drawn_tilt_reaches_the_solver",),
    ),
    Defect(
        "tilt-forgotten-by-the-gradient",
        AREA,
        "The solver's gradient leaves the tilt out.",
        "What is released is the minimiser of the bare objective, with next to no noise.",
        edited("inside.objective", ("return result if self.tilt is None else result + self.tilt", "return result")),
        ("inside/test_objective.py::test_gradient_is_the_slope_of_the_value",),
    ),
    Defect(
        "second-noise-forgotten",
        AREA,
        "The solution of the tilted problem leaves without the noise that covers the solver's residue.",
        "Low bits of the solve, which depend on the records, leave too.",
        edited(
            "gate.models.objective_perturbation",
            (
                "value = add_noise(point_of(solution), plan.noise, plan.event, entry, bits)",
                "value = solution.reveal().point",
            ),
        ),
        (f"{MECHANISMS}::TestContract::test_release_is_on_the_grid_and_seeded_is_marked",),
    ),
    Defect(
        "second-noise-not-paid",
        AREA,
        "The tilt gets all of ε and δ, the second noise its part on top.",
        "Objective perturbation spends 65/64 of what it states.",
        edited(
            "gate.models.objective_perturbation",
            (
                "main = Budget(down(budget.epsilon - blur.epsilon), down(budget.delta - blur.delta))",
                "main = budget",
            ),
        ),
        ("gate/models/test_planned_noise.py::test_the_tilt_leaves_the_second_noise_its_part",),
    ),
    Defect(
        "one-signed-law-for-every-loss",
        AREA,
        "Gaussian objective perturbation takes every loss for one whose slope never changes sign.",
        "Huber regression is released with too large a δ.",
        edited(
            "gate.models.objective_perturbation",
            (
                "    law = facts.loss.traits.tilt\n",
                "    law = ObjectiveLaw.FIXED_SIGN if facts.loss.outputs == 1 else ObjectiveLaw.SOFTMAX\n",
            ),
        ),
        ("gate/models/test_planned_noise.py::test_the_tilt_leaves_the_second_noise_its_part",),
    ),
    Defect(
        "logistic-theorem-for-every-loss",
        AREA,
        "The sharper rate that is proved for the logistic loss is taken for every loss.",
        "Losses with a steeper bend get a tilt of too little noise.",
        edited(
            "gate.models.objective_perturbation",
            ("sharper = facts.loss.traits.sharper_rate", "sharper = calibrate.objective_pure_rate_logistic"),
        ),
        ("gate/models/test_planned_noise.py::test_the_tilt_leaves_the_second_noise_its_part",),
    ),
    Defect(
        "huber-said-to-keep-its-sign",
        AREA,
        "The Huber loss states that the slope of a record never changes its sign.",
        "Gaussian objective perturbation counts too few ways in which its gradient can move.",
        edited("theory.losses.huber", ("ObjectiveLaw.TWO_SIGNED", "ObjectiveLaw.FIXED_SIGN")),
        ("theory/test_losses.py::test_no_record_exceeds_the_facts",),
    ),
    Defect(
        "penalty-stronger-than-it-is",
        AREA,
        "The ridge states twice the strong convexity that its gradient has.",
        "Every sensitivity of a minimiser is half of what it is.",
        edited("theory.regularisers.l2", ("        return self.alpha\n", "        return 2 * self.alpha\n")),
        ("theory/test_penalties.py::test_the_gradient_grows_as_fast_as_strong_convexity_says",),
    ),
    Defect(
        "a-vertex-of-gradients-forgotten",
        AREA,
        "Of the extreme gradient changes of a two-signed loss only the longest are counted.",
        "The δ of Gaussian objective perturbation is understated.",
        edited("theory.accounting.calibrate", ("return [(2, 2.0), (2, math.sqrt(2))]", "return [(1, 2.0)]")),
        ("theory/accounting/test_calibrate.py::test_objective_delta_covers_every_enumerated_vertex_set",),
    ),
    Defect(
        "jacobian-not-taken-out-of-epsilon",
        AREA,
        "The tilt gets all of ε, whatever the change of variables costs.",
        "Objective perturbation spends up to half as much again.",
        edited(
            "theory.accounting.calibrate",
            ("left = epsilon - log_jacobian - ONE_STEP * (epsilon + log_jacobian)", "left = epsilon"),
        ),
        ("theory/accounting/test_calibrate.py::test_pure_rate_spends_what_the_jacobian_leaves",),
    ),
    Defect(
        "logistic-jacobian-forgotten",
        AREA,
        "The exact formula for the logistic loss leaves the change of variables out.",
        "Its noise is too small wherever the ridge is weak.",
        edited("theory.accounting.calibrate", ("math.log1p(bend * worst * (1 - worst))", "0.0 * bend")),
        (
            "theory/accounting/test_calibrate.py::test_logistic_epsilon_matches_published_values",
            "theory/accounting/test_calibrate.py::test_logistic_epsilon_is_the_maximum_of_its_formula",
        ),
    ),
)
