"""Defects of what reads a table by its schema: files, encoding, evaluation."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "tables"
READING = "schema/tables/test_reading.py"
ENCODING = "schema/encoding/test_encoding.py"
EVALUATION = "gate/tables/test_evaluation.py"
USUAL_ERRORS = "gate/tables/test_usual_errors.py"
QUANTILES = "gate/tables/test_quantiles.py"
SCALING = "gate/tables/test_scaling.py"
BOUNDS = "estimators/table/test_private_bounds.py"
CATEGORIES = "gate/tables/test_categories.py"
STREAMED = "estimators/table/test_larger_than_memory.py"

PAID = "cli/test_paid_for.py::test_no_step_after_the_release_loses_the_model_or_says_that_it_was_free"
FILES = "estimators/table/test_one_frame_in_three_files.py"

DEFECTS = (
    Defect(
        "only-a-full-disk-is-survived",
        AREA,
        "After the release a model is rescued from a disk that fails and from nothing else.",
        "Any other trouble with the report throws away what was paid for.",
        edited("cli.table.folder", ("except BaseException as problem:", "except OSError as problem:")),
        (PAID,),
    ),
    Defect(
        "free-after-the-release",
        AREA,
        "What a step without a price says of itself is repeated after the debit.",
        "The line says that nothing was spent, and the ledger has an entry.",
        edited("cli.table.folder", ("{untold_free(str(problem))}; {told}", "{problem}; {told}")),
        (PAID,),
    ),
    Defect(
        "an-empty-test-is-found-too-late",
        AREA,
        "A public test without rows is noticed when it is measured on.",
        "The price is spent before a file is refused.",
        edited("cli.table.fit", ("        if not len(table):", "        if len(table) < 0:")),
        ("cli/test_paid_for.py::test_a_public_test_without_rows_is_refused_for_free",),
    ),
    Defect(
        "quoted-values-are-words",
        AREA,
        "A listed value is compared with a cell's word alone.",
        "The same frame is another table as CSV: all labels are the first class, and epsilon is spent on nothing.",
        edited("schema.listed", ("meant = meaning(word)\n", "meant = None if word else meaning(word)\n")),
        (f"{FILES}::test_every_file_of_a_frame_says_the_same", f"{FILES}::test_a_fit_is_the_same_from_every_file"),
    ),
    Defect(
        "an-open-quote-in-the-header",
        AREA,
        "The rest of a header that goes on in the next line is a record.",
        "Names are cut, and what is learnt from holds a line of names.",
        edited("schema.tables.csv_files", ("CLOSED.match(left) is None:", "CLOSED.match(left) is None and False:")),
        ("cli/test_tables.py::test_a_bad_file_is_one_line_before_anything_is_spent",),
    ),
    Defect(
        "tune-asks-before-it-looks",
        AREA,
        "A search's account is looked at when it is debited.",
        "Somebody says yes to what cannot be paid.",
        edited("cli.table.tune", ("    refuse_event(account, *charge, job.epsilon)\n", "")),
        ("cli/test_tables.py::test_what_a_search_cannot_be_paid_is_told_before_the_question",),
    ),
    Defect(
        "a-line-that-is-not-read-is-missing",
        AREA,
        "A line that Python's reader refuses counts as a record without any cell.",
        "A limit that anybody in the process may set decides what one person's record is.",
        edited("schema.tables.csv_files", ("return _split_by_hand(line, delimiter)", "return []")),
        (
            "schema/tables/test_line_breaks.py::"
            "test_a_cell_is_the_same_however_it_is_written_and_whatever_stands_beside_it",
        ),
    ),
    Defect(
        "bounds-of-other-types-of-numbers",
        AREA,
        "Bounds keep the type of number that a caller gave.",
        "Constants are rounded as singles are, and plans that are kept hand them on to later fits with doubles.",
        edited("theory.bounds", ("        self._in_doubles()\n", "")),
        ("theory/test_public_bounds.py::test_bounds_are_doubles_whatever_numbers_they_are_given_as",),
    ),
    Defect(
        "a-table-quoted-for-a-parameter",
        AREA,
        "Whatever is handed over in the place of a parameter is quoted in the message.",
        "Records of a table that was handed over by mistake are printed and logged.",
        edited("_checks", ("return text if 0 < len(text) <= LONGEST", "return repr(value) if True or 0 < len(text)")),
        ("estimators/test_odd_parameters.py::test_a_table_in_the_place_of_a_parameter_is_not_quoted",),
    ),
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
        "carriage-returns-end-lines",
        AREA,
        "A carriage return alone ends a line, as Python reads files.",
        "One person's cell makes many records of one: ε is stated for one, and their number is seen for nothing.",
        edited("schema.tables.csv_files", ('"newline": LINE_FEED', '"newline": None')),
        ("schema/tables/test_line_breaks.py::test_no_line_changes_the_number_of_records_nor_another_one",),
    ),
    Defect(
        "an-unreadable-number-is-refused",
        AREA,
        "A cell that is no number is an error of Python's, which quotes it.",
        "The error shows the cell before anything was spent.",
        edited(
            "schema.listed",
            ("    except ValueError:\n        return math.nan\n", "    except TypeError:\n        return math.nan\n"),
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
                "    return place.clip(-1.0, 1.0, out=place)\n",
                "    place.clip(-1.0, 1.0, out=place)\n"
                "    place /= max(1e-9, float(np.nanmax(np.abs(place), initial=0.5)))\n"
                "    return place\n",
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
                "return pure(spanning(self.moved, self.left, self.records)",
                "return pure(spanning(self.moved / 2, self.left, self.records)",
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
                "    return np.asarray(np.clip((missed / (high - low)) ** 2, 0.0, 1.0))",
                "missed = np.nan_to_num(said) - numbers_within(labels, low, high)\n"
                "    return np.asarray((missed / (high - low)) ** 2)",
            ),
        ),
        (
            f"{EVALUATION}::test_every_term_lies_between_zero_and_one",
            f"{EVALUATION}::test_replacing_a_row_reaches_the_sensitivity_and_never_passes_it",
        ),
    ),
    Defect(
        "a-usual-size-of-errors-for-nothing",
        AREA,
        "The noise of an evaluation is made for all of ε, whatever the choice of a usual size has used.",
        "Choice and sum together cost up to a fifth more than is charged.",
        edited(
            "gate.tables.evaluation",
            ("down(self.budget.epsilon - self.errors.epsilon) - self.counted", "self.budget.epsilon"),
        ),
        (f"{USUAL_ERRORS}::test_choice_and_sum_never_cost_more_than_epsilon_together",),
    ),
    Defect(
        "errors-beyond-the-usual-size-count",
        AREA,
        "Errors beyond the usual size are not clipped to it.",
        "One record moves the sum by thousands of what the noise was made for.",
        edited("inside.tables.evaluation", ("np.minimum(each / square_of(level), 1.0)", "each / square_of(level)")),
        (f"{USUAL_ERRORS}::test_terms_of_a_usual_size_lie_between_zero_and_one_and_are_exact_below_it",),
    ),
    Defect(
        "sizes-of-errors-scored-twice",
        AREA,
        "What is beyond a size counts twice in its score.",
        "A record moves a score by two: the choice costs twice its ε.",
        edited(
            "inside.tables.evaluation",
            ("room = choice.beyond * len(squares) - beyond", "room = choice.beyond * len(squares) - 2 * beyond"),
        ),
        (f"{USUAL_ERRORS}::test_replacing_an_error_moves_no_score_by_more_than_one",),
    ),
    Defect(
        "persons-choose-a-size-as-rows",
        AREA,
        "A usual size of errors is chosen as if a person had one row.",
        "A person with k rows moves scores by k times what the choice was made for.",
        edited("gate.tables.evaluation", ("(scores, float(plan.together), plan", "(scores, 1.0, plan")),
        (f"{USUAL_ERRORS}::test_a_person_of_many_rows_is_no_clearer_than_a_row",),
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
                "(rank_scores(values, grid, order), plan.moved, plan",
                "(rank_scores(values, grid, order), plan.moved / plan.choices, plan",
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
    Defect(
        "soft-counts-cost-one-instead-of-a-diagonal",
        AREA,
        "A replaced record is taken to move the soft counts of a column by 1 instead of √2.",
        "Centre and spread cost 1.4 times their ε.",
        edited(
            "theory.tables.scaling", ("math.sqrt(2.0 * whole(columns=columns))", "math.sqrt(whole(columns=columns))")
        ),
        (f"{SCALING}::test_the_sensitivity_is_attained_from_bound_to_bound",),
    ),
    Defect(
        "soft-counts-of-many-columns-cost-as-one",
        AREA,
        "The noise of soft counts does not grow with the number of columns.",
        "A record that moves in all columns is hidden in one of them.",
        edited("theory.tables.scaling", ("math.sqrt(2.0 * whole(columns=columns))", "math.sqrt(2.0)")),
        (f"{SCALING}::test_the_sensitivity_is_attained_from_bound_to_bound",),
    ),
    Defect(
        "places-beyond-the-scale-count-in-full",
        AREA,
        "Values beyond the bounds are not brought within them before they are weighed.",
        "One record's weight is as large as its value.",
        edited(
            "theory.tables.scaling",
            ("(1.0 + np.clip(places, -1.0, 1.0)) / 2.0", "(1.0 + places) / 2.0"),
        ),
        (f"{SCALING}::test_a_record_weighs_one_whatever_it_holds_and_nothing_where_it_is_missing",),
    ),
    Defect(
        "persons-scale-at-the-price-of-a-row",
        AREA,
        "The cap on rows of a person does not enter the noise of soft counts.",
        "A person with k rows is protected k times less than stated.",
        edited(
            "gate.tables.scaling",
            (
                "soft_counts_moved(self.columns, self.records, self.person_rows or 1)",
                "soft_counts_moved(self.columns, self.records)",
            ),
        ),
        (f"{SCALING}::test_the_noise_pays_for_what_a_record_moves",),
    ),
    Defect(
        "persons-find-bounds-at-the-price-of-a-row",
        AREA,
        "The cap on rows of a person does not enter the choice of bounds.",
        "A person with k rows is protected k times less than stated.",
        edited("gate.tables.quantiles", ("RANK_MOVED * (self.person_rows or 1)", "RANK_MOVED")),
        (f"{BOUNDS}::test_persons_are_protected_by_the_first_rows_of_each",),
    ),
    Defect(
        "bounds-of-the-target-for-nothing",
        AREA,
        "A target whose bounds are found does not count among the columns that are paid for.",
        "One column beside it is found at twice the ε that is stated for its part.",
        edited("estimators.table.private_bounds", ("QuantilesPlan(n, len(self._chosen()),", "QuantilesPlan(n, 1,")),
        (f"{BOUNDS}::test_the_target_costs_what_a_column_costs_and_nothing_where_nobody_names_it",),
    ),
    Defect(
        "a-target-is-looked-at-whatever-its-type",
        AREA,
        "A target whose bounds are to be found is not held against its type.",
        "What was never a number is paid for, and bounds of nothing are found.",
        edited("estimators.table.private_transformer", ("target=looked_at", "target=False")),
        (f"{BOUNDS}::test_a_target_that_has_no_numbers_is_refused_by_its_type_before_the_debit",),
    ),
    Defect(
        "persons-are-evaluated-at-the-price-of-a-row",
        AREA,
        "The cap on rows of a person does not enter the noise of an evaluation.",
        "A person with k rows is protected k times less than stated.",
        edited(
            "gate.tables.evaluation",
            ("of_squared_errors(self.records, self.person_rows or 1)", "of_squared_errors(self.records)"),
        ),
        ("estimators/table/test_evaluate.py::test_persons_are_protected_and_judged_by_the_first_rows_of_each",),
    ),
    Defect(
        "counts-move-by-one",
        AREA,
        "A replaced record is taken to move one count of a column.",
        "It moves two: the values found cost twice their ε.",
        edited("theory.tables.categories", ("COUNTS_MOVED = 2", "COUNTS_MOVED = 1")),
        (
            f"{CATEGORIES}::test_a_record_moves_two_counts_in_every_column",
            f"{CATEGORIES}::test_the_threshold_is_the_smallest_that_a_lone_record_hardly_reaches",
        ),
    ),
    Defect(
        "a-threshold-for-all-of-delta",
        AREA,
        "Each value that one record alone has may show with all of δ.",
        "In k columns a record has 2k of them: δ is exceeded 2k-fold.",
        edited(
            "theory.tables.categories",
            ("positive(delta=delta) / counts_moved(columns)", "positive(delta=delta)"),
        ),
        (f"{CATEGORIES}::test_the_threshold_is_the_smallest_that_a_lone_record_hardly_reaches",),
    ),
    Defect(
        "values-are-kept-by-their-true-counts",
        AREA,
        "Whether a value is found is decided before the noise is added.",
        "A value at the line shows or not as one record pleases.",
        edited(
            "gate.door",
            (
                "for (name, _), count in zip(held, noisy, strict=True) if count >= least",
                "for (name, true), count in zip(held, noisy, strict=True) if true >= least",
            ),
        ),
        (f"{CATEGORIES}::test_lone_values_show_as_often_as_stated_and_frequent_ones_do",),
    ),
    Defect(
        "one-draw-for-all-values",
        AREA,
        "Every count gets the same noise.",
        "The difference of two counts leaves without any.",
        edited("gate.door", ("replace(noise, dim=len(held))", "replace(noise, dim=1)")),
        (f"{CATEGORIES}::test_noise_is_drawn_for_each_value_by_itself_and_in_the_order_of_names",),
    ),
    Defect(
        "noise-in-the-order-of-the-table",
        AREA,
        "Values are taken in the order in which the table shows them.",
        "With a seed, the order of the records can be read off what is found.",
        edited("gate.door", ("held = sorted(counts.reveal().items())", "held = list(counts.reveal().items())")),
        (f"{CATEGORIES}::test_noise_is_drawn_for_each_value_by_itself_and_in_the_order_of_names",),
    ),
    Defect(
        "several-rows-of-a-person-are-counted",
        AREA,
        "Which values occur is counted over all rows that the schema's cap leaves.",
        "A person has several values in a column, and the threshold was made for one.",
        edited("estimators.table.private_categories", ("    _rows_per_person = 1\n", "    _rows_per_person = None\n")),
        ("estimators/table/test_private_categories.py::test_of_each_person_the_first_row_counts",),
    ),
    Defect(
        "every-encoding-is-read",
        AREA,
        "CSV files are read in any encoding that Python knows.",
        "In those with shifts one person's line changes how the lines of others are read.",
        edited("schema.tables.csv_files", ("table[:128] == ASCII:", "True:")),
        ("schema/tables/test_reading.py::test_no_bytes_of_a_line_change_another_in_any_encoding",),
    ),
    Defect(
        "a-footer-is-not-compared",
        AREA,
        "A file that was written anew with the same size and time is read on.",
        "Passes of one fit see different tables, of which neighbours need not differ in one record.",
        edited("schema.tables.parquet", ("if opened.metadata != file.footer:", "if file.footer is None:")),
        (f"{STREAMED}::test_a_folder_that_changes_ends_the_fit",),
    ),
    Defect(
        "files-are-not-looked-at-between-passes",
        AREA,
        "Sizes and times of files are read once, before the debit.",
        "Passes of one fit see different tables, of which neighbours need not differ in one record.",
        edited("schema.tables.parquet", ("if (info.size, info.mtime_ns) != ", "if info is None and () != ")),
        (f"{STREAMED}::test_a_folder_that_changes_ends_the_fit",),
    ),
    Defect(
        "a-new-file-is-overlooked",
        AREA,
        "The list of files in a folder is not compared between passes.",
        "The number of rows that was planned for is not that of the table.",
        edited("schema.tables.parquet", ("if self.folder is not None and", "if self.folder == chr(0) and")),
        (f"{STREAMED}::test_a_folder_that_changes_ends_the_fit",),
    ),
    Defect(
        "one-cell-damns-its-column",
        AREA,
        "A Parquet column with a cell that Python cannot hold is an error.",
        "After the debit a refusal tells that such a record is there.",
        edited("rows.column_cells", ("    found = asked(everything, None)", "    found = everything()")),
        (f"{STREAMED}::test_no_cell_is_an_error",),
    ),
    Defect(
        "blocks-are-not-clipped",
        AREA,
        "Rows that come in blocks keep their length.",
        "One record can move every sum without bound.",
        edited("inside.design", ("    longest = clip_dense(turned.T, row_norm)\n", "    longest = None\n")),
        ("inside/test_parted.py::test_every_derivative_is_that_of_the_whole",),
    ),
    Defect(
        "any-mechanism-may-stream",
        AREA,
        "A mechanism that needs the records in memory is found out after the debit.",
        "What was paid for is lost, by an error that nobody planned.",
        edited("estimators.linear.source", ("if not (asking.by_sums or", "if plan is None and not (asking.by_sums or")),
        (f"{STREAMED}::test_what_cannot_be_streamed_is_refused_by_name_and_for_free",),
    ),
    Defect(
        "a-walk-stays-in-the-first-section",
        AREA,
        "Over files the first row group is read again and again instead of each once.",
        "Its records are met as often as there are row groups, and paid for once.",
        edited("inside.parted", ("self._blocks(shuffle(self.sections))", "self._blocks(0 * shuffle(self.sections))")),
        ("inside/test_walks_in_parts.py::test_the_end_is_that_of_the_walk_in_memory_in_the_same_order",),
    ),
    Defect(
        "rows-of-a-walk-are-not-clipped",
        AREA,
        "Rows that a walk meets in blocks keep their length.",
        "One record can move the end without bound.",
        edited("inside.parted", ("design_from(rows, bounds.row_norm,", "design_from(rows, 1e300,")),
        ("inside/test_walks_in_parts.py::test_no_neighbours_in_parts_move_the_end_further_than_planned",),
    ),
    Defect(
        "borrowed-rows-are-not-clipped",
        AREA,
        "Rows that are taken from the caller's array keep their length.",
        "One record can move the end without bound.",
        edited(
            "inside.borrowed",
            (
                "clipped(self.matrix[rows], self.bounds,",
                "clipped(self.matrix[rows], replace(self.bounds, row_norm=1e300),",
            ),
        ),
        ("estimators/linear/test_borrowed_arrays.py::test_rows_that_change_meanwhile_are_clipped_when_they_are_met",),
    ),
    Defect(
        "borrowed-rows-are-summed-unclipped",
        AREA,
        "A sum over rows of the caller's array takes long rows as they are.",
        "One record can move a gradient without bound.",
        edited("rows.clip", ("return plain_factors(np.sqrt(square),", "return plain_factors(0 * np.sqrt(square),")),
        ("estimators/linear/test_borrowed_arrays.py::test_every_row_of_a_sum_is_within_its_bound",),
    ),
    Defect(
        "huge-borrowed-rows-keep-their-length",
        AREA,
        "Rows whose squares overflow, or that hold a missing cell, stay as they are in a sum over the caller's array.",
        "One record can move a gradient without bound, or make numbers of none of it.",
        edited("inside.design.lent", ("        if len(odd):", "        if len(odd) < 0:")),
        ("estimators/linear/test_borrowed_arrays.py::test_every_row_of_a_sum_is_within_its_bound",),
    ),
    Defect(
        "borrowed-rows-may-change-between-passes",
        AREA,
        "Rows of the caller's array that are others in a later pass are not noticed.",
        "The certificate is about another table than the steps before it.",
        edited(
            "inside.design.lent",
            ("elif odd != self.known.odd or", "elif self.known.squares is None or"),
            ("not np.array_equal(self.known.squares, squares)", "len(squares) < 0"),
            ("if isinstance(found, Outcome):", "if found is Outcome.ODD:"),
        ),
        ("estimators/linear/test_borrowed_arrays.py::test_rows_that_are_another_length_in_a_later_pass_end_the_fit",),
    ),
    Defect(
        "a-short-batch-makes-a-step",
        AREA,
        "Records that are left at the end of a pass begin the first batch of the next.",
        "More steps are taken than the plan counts, and a record may be met twice in one.",
        edited(
            "inside.walk", ("left, missing = walk.used, walk.batch", "left, missing = records.design.rows, walk.batch")
        ),
        ("inside/test_walks_in_parts.py::test_every_record_is_met_once_a_pass_but_for_those_of_a_short_batch",),
    ),
    Defect(
        "each-piece-is-a-step",
        AREA,
        "A batch that lies in several blocks makes a step for each of them.",
        "More steps are taken than the plan counts.",
        edited("inside.walk", ("yield part.take(rows), not missing", "yield part.take(rows), True")),
        ("inside/test_walks_in_parts.py::test_every_record_is_met_once_a_pass_but_for_those_of_a_short_batch",),
    ),
    Defect(
        "the-reader-cuts-the-blocks-of-a-walk",
        AREA,
        "Blocks of a walk are as long as the reader happened to make them.",
        "A cell that makes it cut earlier moves every later draw, and with it all other records.",
        edited("schema.tables.parquet", ("height // 2 if order is None else height", "height // 2")),
        (
            "estimators/table/test_walks_over_files.py::test_sections_are_read_in_the_order_that_was_drawn_and_each_once",
        ),
    ),
    Defect(
        "passes-of-a-solver-are-told",
        AREA,
        "Whoever shows progress hears of every pass of a solver.",
        "When it is near enough depends on the records: their number is a release that nobody paid for.",
        edited(
            "inside.parted",
            (
                "        adding = InPairs()\n        in_order(lambda block: of(self._part",
                "        self.told(1, 1)\n        adding = InPairs()\n        in_order(lambda block: of(self._part",
            ),
        ),
        (
            "estimators/table/test_walks_over_files.py::test_progress_hears_of_steps_in_memory_and_in_parts_and_of_nothing_else",
        ),
    ),
)
