"""Defects that let something be seen without payment, or counted once where it happens often."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited, together

AREA = "unpaid"
GRADIENT = "inside/test_rounding_of_the_gradient.py"
EXTREME = "estimators/test_extreme_parameters.py"
RUNS = "theory/accounting/test_runs.py"

DEFECTS = (
    Defect(
        "tilt-left-out-of-the-rounding",
        AREA,
        "The stated rounding of a gradient forgets the tilt that is added to it.",
        "Under a long tilt a point is certified nearer to the minimiser than it is.",
        edited("inside.objective", ("(data + 16 * (ridge + self.push))", "(data + 16 * ridge)")),
        (f"{GRADIENT}::test_no_gradient_is_farther_from_the_true_one_than_a_tenth_of_the_stated_rounding",),
    ),
    Defect(
        "cancelling-scores-left-out-of-the-rounding",
        AREA,
        "The rounding of scores is said not to grow with the products that cancel in them.",
        "Certificates of long coefficients prove too much.",
        edited(
            "inside.objective",
            ("((design.row_depth + 16 + self.loss.outputs) * reach + 16) * facts.curvature", "16 * facts.curvature"),
        ),
        (f"{GRADIENT}::test_nor_where_large_products_cancel_in_the_scores",),
    ),
    Defect(
        "entry-open-after-an-error",
        AREA,
        "An entry stays open when its block ends with an exception.",
        "Whoever catches it releases again for the same payment.",
        edited(
            "ledger.ledger",
            (
                "trace: TracebackType | None\n    ) -> None:\n        self._open = False",
                "trace: TracebackType | None\n    ) -> None:\n        self._open = self._open and kind is not None",
            ),
        ),
        ("contracts/test_ledger_contract.py::test_entry_is_closed_however_its_block_ended",),
    ),
    Defect(
        "numbers-beyond-doubles",
        AREA,
        "Released numbers are taken to the caller's units however large they become.",
        "After the debit a fit fails or warns, by records and noise.",
        edited(
            "estimators.linear.units",
            ("return np.clip(np.nan_to_num(value, nan=0.0), -most, most)", "return value"),
        ),
        (f"{EXTREME}::test_numbers_beyond_doubles_in_the_callers_units_are_released_without_a_word",),
    ),
    Defect(
        "long-numbers-are-an-error",
        AREA,
        "A whole number with more digits than Python writes down is an error in a column of categories.",
        "Whether a table has such a cell is told for nothing, as often as one asks.",
        edited("schema.rules", ("value.bit_length() > WIDEST", "value.bit_length() > 10**9")),
        ("estimators/table/test_no_cell_is_an_error.py::test_no_cell_of_any_column_is_an_error",),
    ),
    Defect(
        "grid-of-bounds-too-fine",
        AREA,
        "Private bounds are looked for on a grid whose edges are too near to be bounds.",
        "After the debit the fit fails, or not, by which cells were found.",
        together(
            edited("estimators.table.private_bounds", ("(np.diff(edges) >= SMALLEST).all()", "len(edges) > 0")),
            edited("estimators.table.private_transformer", ("if not high - low >= SMALLEST:", "if high < low:")),
        ),
        ("estimators/table/test_private_bounds.py::test_a_grid_that_is_too_fine_is_refused_before_anything_is_spent",),
    ),
    Defect(
        "arithmetic-of-one-run",
        AREA,
        "A random number of runs adds the arithmetic of a single one to delta.",
        "The numeric part of δ is understated by the number of runs.",
        edited("theory.accounting.runs", ("run_numeric = stop.mean * max(", "run_numeric = max(")),
        (f"{RUNS}::test_every_run_adds_its_distance_from_the_planned_law",),
    ),
    Defect(
        "grid-of-the-usual-number-of-runs",
        AREA,
        "The grids of as many runs as there are on average are charged, not of all there can be.",
        "A long series costs more than its Rényi curve says.",
        edited(
            "theory.accounting.runs",
            ("drawn.most * _largest_slack(events, slack)", "stop.mean * _largest_slack(events, slack)"),
        ),
        (f"{RUNS}::test_every_run_that_there_can_be_adds_the_slack_of_its_grid",),
    ),
    Defect(
        "arithmetic-of-one-step",
        AREA,
        "Noisy gradients add the arithmetic of a single step to delta.",
        "The numeric part of δ is understated by the number of steps.",
        edited(
            "theory.accounting.room", ("times * slack.epsilon, times * numeric)", "times * slack.epsilon, numeric)")
        ),
        ("gate/models/test_planned_noise.py::test_arithmetic_is_counted_for_every_noisy_gradient",),
    ),
    Defect(
        "answers-rounded-on-one-side",
        AREA,
        "The rounding of an answer is counted for one of two neighbouring tables.",
        "Half of what doubles can add to an answer's sensitivity is not hidden.",
        edited(
            "theory.prediction.linear_answers",
            ("up(1 + depth + 2 * depth * self.reach)", "up(1 + depth + depth * self.reach)"),
        ),
        ("theory/test_rounding_is_counted.py::test_an_answer_is_rounded_on_both_tables",),
    ),
    Defect(
        "ranks-move-by-a-half",
        AREA,
        "A replaced record is said to move a rank by a half.",
        "Private bounds cost twice their ε.",
        edited("theory.tables.quantiles", ("RANK_MOVED = 1.0", "RANK_MOVED = 0.5")),
        ("gate/tables/test_quantiles.py::test_replacing_a_record_reaches_the_sensitivity_and_never_passes_it",),
    ),
    Defect(
        "evaluation-of-persons-as-rows",
        AREA,
        "A table whose schema names persons is evaluated for rows.",
        "A person with many rows is promised the ε of one.",
        edited(
            "estimators.table.evaluate",
            ("None if model.schema.person is None else model.schema.person.rows_per_person", "None"),
        ),
        ("estimators/table/test_evaluate.py::test_persons_are_protected_and_judged_by_the_first_rows_of_each",),
    ),
    Defect(
        "constant-counts-every-row",
        AREA,
        "The constant sums the labels of all rows where their number is secret, without weights.",
        "The rounding of the sum grows with the secret number, beyond what the noise covers.",
        edited(
            "gate.models.constant",
            ("label_sums(weighed(records, facts), places)", "label_sums(records, places)"),
        ),
        ("gate/models/test_constant.py::test_what_leaves_is_bounded_however_many_rows_there_are",),
    ),
    Defect(
        "constant-counts-move-by-one",
        AREA,
        "A replaced label is said to move the counts of classes by one instead of the root of two.",
        "The constant of several classes has too little noise.",
        edited(
            "theory.sensitivity",
            ("exact, why = math.sqrt(2) if counts else 2.0", "exact, why = 1.0 if counts else 2.0"),
        ),
        ("gate/models/test_constant.py::test_one_label_moves_the_sums_by_the_stated_distance_and_no_further",),
    ),
    Defect(
        "constant-for-persons-as-for-rows",
        AREA,
        "The constant's noise is for one row where a person has several.",
        "A person with k rows is promised ε and gets k times that.",
        edited(
            "theory.sensitivity",
            (
                '    exact *= facts.together\n    return Sensitivity(up(exact + 2 * sums_rounding(facts)), f"change',
                '    return Sensitivity(up(exact + 2 * sums_rounding(facts)), f"change',
            ),
        ),
        ("theory/test_groups.py::test_every_mechanism_scales_its_sensitivity",),
    ),
    Defect(
        "capped-softmax-diameter-is-one-slope",
        AREA,
        "Two records' gradients of the capped softmax are said to differ by one slope.",
        "Half the noise of output perturbation.",
        edited("theory.losses.capped_softmax", ("LossFacts(slope, 2 * slope,", "LossFacts(slope, slope,")),
        ("theory/test_replace_one.py::test_structured_attack_reaches_the_bound_and_never_passes_it",),
    ),
    Defect(
        "evaluation-rounds-as-one-record",
        AREA,
        "The noise of an evaluation leaves out what the rounding of a long sum adds.",
        "At many records a little less noise than the guarantee states.",
        edited("gate.tables.evaluation", ("spanning(self.moved, self.left", "spanning(1.0, self.left")),
        ("gate/tables/test_evaluation.py::test_the_noise_covers_what_the_guarantee_says_a_record_moves",),
    ),
    Defect(
        "noise-planned-that-nobody-draws",
        AREA,
        "A law of noise becomes a plan however many steps its scale has.",
        "A fit at next to no ε is paid for, and ends with an error of its sampler.",
        edited("gate.laws", ("if not noise.scale / noise.step <= MOST_STEPS[noise.law]", "if noise.scale == 0")),
        ("gate/test_laws.py::test_the_most_steps_of_each_law_are_drawn_and_no_more_are_planned",),
    ),
    Defect(
        "share-too-small-found-out-after-the-debit",
        AREA,
        "A share of ε for which doubles have no noise is taken.",
        "A fit that could not have been is paid for, and ends with an error.",
        edited("estimators.density.histogram_density", ("moderate(share=fraction(", "positive(share=fraction(")),
        ("estimators/test_odd_parameters.py::test_an_odd_parameter_is_told_in_one_line_before_the_debit_or_taken",),
    ),
    Defect(
        "endless-draws-begun",
        AREA,
        "Any number of draws is taken.",
        "A search is paid for that does not end.",
        edited("estimators.search.stability_search", ("at_most(MOST_DRAWS, draws=self.draws)", "1")),
        ("estimators/test_odd_parameters.py::test_a_search_that_could_not_end_is_refused_before_the_debit",),
    ),
)
