"""Defects made up by reading the source, before looking at the tests: constants, designs and mechanisms."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "by reading: constants and mechanisms"

DEFECTS = (
    Defect(
        "gradient-rounded-on-one-side-only",
        AREA,
        "Of two neighbours' gradients the rounding of one is counted.",
        "Noise of a step is smaller than what doubles can show.",
        edited(
            "theory.sensitivity",
            (
                "up(change / facts.n) + 2 * gradient_rounding(facts, norm)",
                "up(change / facts.n) + gradient_rounding(facts, norm)",
            ),
        ),
        ("theory/test_rounding_is_counted.py::test_a_gradient_is_rounded_on_both_tables",),
    ),
    Defect(
        "quadratic-of-a-replaced-row-as-of-an-added-one",
        AREA,
        "A replaced row moves the objective's coefficients no further than an added one.",
        "The functional mechanism has half the noise it needs.",
        edited(
            "theory.sensitivity",
            ("* min(joint, 2 * one) + rounding)", "* min(joint, one) + rounding)"),
        ),
        (
            "gate/models/test_functional_mechanism.py::test_a_replaced_record_comes_near_the_sensitivity_and_never_exceeds_it",
        ),
    ),
    Defect(
        "group-delta-does-not-shrink",
        AREA,
        "A row's δ in a group is shared out without the growth of δ with ε.",
        "Groups are promised less δ than they get.",
        edited(
            "theory.accounting.groups",
            ("shrink = math.exp(epsilon - budget.epsilon) * math.expm1", "shrink = math.expm1"),
        ),
        ("theory/accounting/test_groups.py::test_no_group_exceeds_the_budget",),
    ),
    Defect(
        "advantage-forgets-half-of-delta",
        AREA,
        "An attacker's advantage counts δ once, not on both sides.",
        "The card promises more than (ε, δ) does.",
        edited(
            "theory.accounting.convert",
            ("2 * delta * rare / (1 + rare)", "delta * rare / (1 + rare)"),
        ),
        ("theory/accounting/test_convert.py::test_no_operating_point_beats_the_advantage",),
    ),
    Defect(
        "held-out-score-by-the-steadier-part",
        AREA,
        "A grid's score moves as far as the steadier of its two parts.",
        "The choice of the grid costs more than its ε.",
        edited(
            "theory.tables.density",
            ("return up(max(first, validation_stability(cells)", "return up(min(first, validation_stability(cells)"),
        ),
        ("theory/tables/test_density.py::test_the_held_out_sensitivity_is_that_of_the_worse_part",),
    ),
    Defect(
        "numeric-delta-of-parts-not-added",
        AREA,
        "Several releases under one entry add only the largest of their numeric δ.",
        "What arithmetic adds to δ is understated.",
        edited(
            "theory.events",
            ("math.fsum(part.delta_numeric for part in self.parts)", "max(part.delta_numeric for part in self.parts)"),
        ),
        ("theory/accounting/test_events.py::test_numeric_parts_of_a_composed_event_add_up",),
    ),
    Defect(
        "answers-rounded-for-free",
        AREA,
        "A linear answer is taken to be computed exactly.",
        "At large reach, low bits beyond the stated shift leave.",
        edited(
            "theory.prediction.linear_answers",
            ("return up(1 + depth + 2 * depth * self.reach)", "return up(1.0)"),
        ),
        ("theory/test_rounding_is_counted.py::test_an_answer_is_computed_within_what_its_sensitivity_leaves_for_that",),
    ),
    Defect(
        "one-pass-rounded-once",
        AREA,
        "The rounding of one gradient step stands for that of all.",
        "Of a long pass more leaves than its stability states.",
        edited(
            "theory.prediction.linear_answers",
            ("return 10 * MACHINE * facts.n * (3 * depth", "return 10 * MACHINE * (3 * depth"),
        ),
        ("theory/test_rounding_is_counted.py::test_one_pass_over_the_rows_rounds_no_more_than_stated",),
    ),
    Defect(
        "labels-scaled-as-if-centred",
        AREA,
        "Labels are divided by half their range also where they are not centred.",
        "Half the labels are clipped: regression without an intercept is wrong in silence.",
        edited(
            "theory.bounds",
            ("return max(high - self.label_centre, self.label_centre - low)", "return (high - low) / 2"),
        ),
        ("estimators/linear/test_units.py",),
    ),
    Defect(
        "longest-row-without-its-constant",
        AREA,
        "The longest row of a design forgets its constant column.",
        "Rounding and smoothness in certificates are understated.",
        edited(
            "inside.design.constant",
            ("return np.hypot(self.inner.row_norms(), self.constant)", "return self.inner.row_norms()"),
        ),
        ("contracts/test_design_contract.py::test_row_norms_and_row_gram_match_the_slow_way",),
    ),
    Defect(
        "depth-of-a-column-counts-blocks-only",
        AREA,
        "A sum over rows is taken to pass only the additions between blocks.",
        "Certificates allow too little for rounding.",
        edited(
            "inside.design.dense",
            (
                "return min(height, rows) + -(-rows // height) + 3",
                "return -(-rows // height) + 3",
            ),
        ),
        (
            "contracts/test_design_contract.py::test_depths_bound_the_rounding_of_products",
            "contracts/test_design_contract.py::test_no_sum_over_rows_loses_more_than_its_depth_allows",
        ),
    ),
    Defect(
        "labels-of-the-first-rows-for-every-block",
        AREA,
        "A gradient that is summed block by block takes the labels of the first rows for all of them.",
        "What is certified is the minimiser of other records.",
        edited(
            "inside.objective",
            (
                "loss.slope(scores, records.labels[part])",
                "loss.slope(scores, records.labels[: len(scores)])",
            ),
        ),
        ("inside/test_objective.py::test_a_pass_in_many_blocks_is_one_pass",),
    ),
    Defect(
        "rows-beyond-the-last-whole-block-left-out",
        AREA,
        "The pass over blocks of rows ends with the last whole block.",
        "The last records are not learnt from, and certificates are about others.",
        edited(
            "inside.design.dense",
            (
                "in_order(of, range(0, self.rows, height)",
                "in_order(of, range(0, self.rows - self.rows % height, height)",
            ),
        ),
        ("contracts/test_design_contract.py::test_one_pass_is_both_products",),
    ),
    Defect(
        "scores-of-a-pass-in-one-run",
        AREA,
        "The pass over blocks of rows sums a score in one run over all columns.",
        "Its rounding grows with the columns, beyond what certificates allow.",
        edited("inside.design.dense", ("turn(scores_in_runs(block, w), part)", "turn(block @ w, part)")),
        ("contracts/test_design_contract.py::test_scores_of_a_pass_are_summed_in_the_same_runs_of_columns",),
    ),
    Defect(
        "steady-tilt-solved-on-one-side",
        AREA,
        "The stability of a tilted fit counts the solver's error of one table.",
        "Choosing by stability costs more than its ε.",
        edited(
            "gate.models.objective_perturbation",
            (
                "(sensitivity.of_tilted_minimiser(facts) + 2 * radius)",
                "(sensitivity.of_tilted_minimiser(facts) + radius)",
            ),
        ),
        ("gate/models/test_planned_noise.py::test_the_stability_of_training_counts_two_radii",),
    ),
    Defect(
        "poisson-runs-at-least-once",
        AREA,
        "A Poisson number of runs is shifted so that there is always one.",
        "The best of the runs is dearer than the theorem's law allows.",
        edited(
            "gate.choices.stop",
            ("fewest = 0 if isinstance(stop, PoissonStop) else 1", "fewest = 1"),
        ),
        ("gate/choices/test_stop.py::test_the_number_of_runs_has_the_law_asked_for",),
    ),
    Defect(
        "tilt-of-a-replaced-row-as-of-an-added-one",
        AREA,
        "Gaussian tilts are calibrated for an added row whatever the adjacency.",
        "Objective perturbation has about half the noise it needs.",
        edited(
            "gate.models.objective_perturbation",
            ("        adjacency=facts.adjacency,", "        adjacency=type(facts.adjacency).ADD_REMOVE,"),
        ),
        ("gate/models/test_planned_noise.py::test_the_tilt_leaves_the_second_noise_its_part",),
    ),
    Defect(
        "slack-of-one-answer-for-all",
        AREA,
        "The grid's slack of many Gaussian answers is that of one.",
        "ε and numeric δ of a batch are understated.",
        edited(
            "theory.accounting.prices",
            ("slack, mu = gaussian_on_grid(whole(count=count) * dim),", "slack, mu = gaussian_on_grid(dim),"),
        ),
        ("theory/accounting/test_many_answers.py",),
    ),
    Defect(
        "quadratic-rounded-to-the-grid-for-free",
        AREA,
        "Rounding the objective's coefficients to the grid is not in their sensitivity.",
        "The functional mechanism spends a little more than ε.",
        edited(
            "gate.laws",
            ("up((l1 + step * dim) / epsilon, FORMULA)", "up(l1 / epsilon, FORMULA)"),
        ),
        (
            "gate/models/test_noise_for_what_is_computed.py::test_noise_in_the_objectives_coefficients_covers_their_rounding",
        ),
    ),
    Defect(
        "measured-answers-as-if-nothing-was-learnt",
        AREA,
        "The noise of a measured comparison ignores the record that was trained on.",
        "The figure of the answers costs more than its ε.",
        edited(
            "gate.answers.measure",
            (
                "of_mean_expected_loss(self.moved, self.records), self.answers, 1.0",
                "of_mean_expected_loss(0.0, self.records), self.answers, 1.0",
            ),
        ),
        ("gate/answers/test_measure.py::test_planned_noise_covers_the_sensitivity_and_hardly_more",),
    ),
)
