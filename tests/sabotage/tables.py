"""Defects of what reads a table by its schema: files, encoding, evaluation."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "tables"
READING = "schema/tables/test_reading.py"
ENCODING = "schema/encoding/test_encoding.py"
EVALUATION = "gate/tables/test_evaluation.py"
QUANTILES = "gate/tables/test_quantiles.py"

DEFECTS = (
    Defect(
        "an-open-quote-swallows-other-lines",
        AREA,
        "The lines of a CSV file are cut into cells together, so that an open quote goes on into the next line.",
        "One person's record changes other people's, and how many there are.",
        edited(
            "schema.tables.csv_files",
            (
                "        for line in lines:\n            found = split(line, delimiter)\n",
                "        for found in csv.reader((line + chr(10) for line in lines), delimiter=delimiter):\n",
            ),
        ),
        (
            f"{READING}::test_ragged_lines_quotes_blank_lines_and_odd_bytes_are_records_like_others",
            f"{READING}::test_one_line_changes_one_row_and_nothing_else",
        ),
    ),
    Defect(
        "a-ragged-line-is-refused",
        AREA,
        "A line with too few cells is an error.",
        "The error tells, for nothing, that such a record is there.",
        edited("schema.tables.csv_files", ('found[place] if place < len(found) else ""', "found[place]")),
        (f"{READING}::test_ragged_lines_quotes_blank_lines_and_odd_bytes_are_records_like_others",),
    ),
    Defect(
        "an-unreadable-number-is-refused",
        AREA,
        "A cell that is no number is an error of Python's, which quotes it.",
        "The error shows the cell before anything was spent.",
        edited(
            "schema.cells",
            (
                "    except ValueError:\n        return math.nan\n    except OverflowError:",
                "    except OverflowError:",
            ),
        ),
        ("estimators/table/test_fit.py::test_no_cell_is_an_error_and_none_is_quoted",),
    ),
    Defect(
        "a-check-counts-without-being-asked",
        AREA,
        "A check of names and types also counts cells.",
        "Its answer is about the records, and nobody pays.",
        edited("schema.check", ("if values is None or any(", "if any(")),
        ("schema/test_check.py::test_neighbouring_files_get_the_same_answer",),
    ),
    Defect(
        "numbers-are-scaled-by-the-table",
        AREA,
        "A number is placed between the smallest and the largest value that the table holds.",
        "Two people's values are in everybody's row.",
        edited(
            "schema.encoding.numbers",
            (
                "        place = along.place(cells.numbers(held, missing_words))\n",
                "        place = along.place(cells.numbers(held, missing_words))\n"
                "        place = place / max(1e-9, float(np.nanmax(np.abs(place), initial=0.5)))\n",
            ),
        ),
        (
            f"{ENCODING}::test_numbers_run_from_minus_one_to_one_along_their_scale",
            f"{ENCODING}::test_any_table_is_encoded_row_by_row_within_the_norm",
        ),
    ),
    Defect(
        "rows-longer-than-the-norm",
        AREA,
        "The encoder forgets that interactions are columns too.",
        "Rows are longer than stated; the estimator clips them, and coefficients lose their meaning.",
        edited(
            "schema.encoding.encoding",
            ("math.sqrt(len(self.blocks) + len(self.interactions))", "math.sqrt(len(self.blocks))"),
        ),
        (f"{ENCODING}::test_the_norm_is_reached_and_interactions_share_it",),
    ),
    Defect(
        "evaluation-sensitivity-halved",
        AREA,
        "The noise of an evaluation is made for half of what a record can move.",
        "It costs twice its ε.",
        edited(
            "gate.tables.evaluation",
            (
                "return pure(of_squared_errors(self.records), 1, self.budget.epsilon).noise",
                "return pure(of_squared_errors(self.records) / 2, 1, self.budget.epsilon).noise",
            ),
        ),
        (
            f"{EVALUATION}::test_the_sum_never_costs_more_than_epsilon",
            f"{EVALUATION}::test_the_mean_leaves_with_noise_of_its_law_and_half_the_noise_is_caught",
        ),
    ),
    Defect(
        "errors-beyond-the-bounds-count",
        AREA,
        "Predictions are not clipped to the bounds of the target before they are compared.",
        "A record's term is larger than the noise was made for.",
        edited(
            "inside.tables.evaluation",
            (
                "missed = numbers_within(said, low, high) - numbers_within(labels, low, high)\n"
                "    return Private(np.clip((missed / (high - low)) ** 2, 0.0, 1.0))",
                "missed = np.nan_to_num(said) - numbers_within(labels, low, high)\n"
                "    return Private((missed / (high - low)) ** 2)",
            ),
        ),
        (
            f"{EVALUATION}::test_every_term_lies_between_zero_and_one",
            f"{EVALUATION}::test_replacing_a_row_reaches_the_sensitivity_and_never_passes_it",
        ),
    ),
    Defect(
        "evaluation-is-free-by-default",
        AREA,
        "Rows are taken as public unless an epsilon is given.",
        "Whoever forgets to say gets exact numbers about private rows.",
        edited(
            "estimators.table.evaluate",
            ("if public == (epsilon is not None):", "if public and epsilon is not None:"),
        ),
        ("estimators/table/test_evaluate.py::test_what_is_wrong_is_told_before_anything_is_spent",),
    ),
    Defect(
        "each-bound-costs-all-of-epsilon",
        AREA,
        "Every end of every column is chosen with all of ε.",
        "The bounds of k columns cost 2k times what they state.",
        edited(
            "gate.tables.quantiles",
            (
                "(rank_scores(values, grid, order), RANK_MOVED, plan",
                "(rank_scores(values, grid, order), RANK_MOVED / plan.choices, plan",
            ),
        ),
        (
            f"{QUANTILES}::test_choices_have_the_law_of_permute_and_flip_at_their_share",
            f"{QUANTILES}::test_neighbours_choose_alike",
        ),
    ),
    Defect(
        "shares-of-choices-add-up-to-more",
        AREA,
        "The choices of bounds are booked as half as many as there are.",
        "They cost twice what the ledger says.",
        edited(
            "gate.tables.quantiles",
            ("pure_answers(self.share, self.choices)", "pure_answers(self.share, self.columns)"),
        ),
        (f"{QUANTILES}::test_all_choices_together_cost_epsilon_and_no_more",),
    ),
    Defect(
        "missing-values-move-the-rank-twice",
        AREA,
        "The wanted rank counts missing values twice over.",
        "A value that goes missing moves a score by more than the choice was made for.",
        edited(
            "inside.tables.quantiles",
            (
                "below - order * len(there)",
                "below - order * (len(there) - 2 * (len(values) - len(there)))",
            ),
        ),
        (f"{QUANTILES}::test_replacing_a_record_reaches_the_sensitivity_and_never_passes_it",),
    ),
    Defect(
        "bounds-are-the-exact-quantiles",
        AREA,
        "The best candidate is taken without a draw.",
        "With all other records known, one that sits at the quantile can be read off the bounds.",
        edited(
            "gate.door",
            ("return pick(coins(scores.reveal()), bits)", "return int(np.argmax(scores.reveal()))"),
        ),
        (f"{QUANTILES}::test_choices_have_the_law_of_permute_and_flip_at_their_share",),
    ),
)
