"""Defects of the entrance: clipping, encoding, and what an error may say."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "records"
COLUMN_CELLS = "rows/test_column_cells.py"
CLIPPING = "inside/test_clipping.py"
BY_ITSELF = "estimators/test_each_record_by_itself.py::test_a_list_is_read_cell_by_cell_whatever_else_it_holds"

DEFECTS = (
    Defect(
        "dense-rows-not-clipped",
        AREA,
        "Rows of a dense table are not clipped.",
        "One long row moves everything without limit.",
        edited(
            "rows.clip",
            ("    block *= plain_factors(norm, row_norm, target, clip_margin(block.shape[1]))[:, None]\n", ""),
        ),
        (f"{CLIPPING}::test_doubles_never_exceed_the_bound_and_stay_when_clipped_again",),
    ),
    Defect(
        "shortened-rows-have-no-length",
        AREA,
        "Rows that were shortened many at a time do not count when the longest row is measured.",
        "Certificates allow for less rounding than there is.",
        edited("rows.clip", ("square[plain & ~clear] = row_norm * row_norm", "square[plain & ~clear] = 0.0")),
        ("inside/test_what_enters.py::test_the_longest_row_is_that_of_the_rows_as_they_are_stored_or_the_bound",),
    ),
    Defect(
        "infinite-rows-lost-in-a-long-block",
        AREA,
        "In a block of many long rows those with infinite numbers are left as they are.",
        "A record without bound enters the sums.",
        edited("rows.clip", ("        clear = plain\n", "        clear = plain = np.ones(len(block), dtype=bool)\n")),
        ("inside/test_what_enters.py::test_a_table_that_is_ours_is_changed_in_place_and_no_other",),
    ),
    Defect(
        "huge-rows-not-clipped",
        AREA,
        "Rows whose squares overflow are not clipped.",
        "One row moves everything without limit.",
        edited(
            "rows.clip",
            ("    block[long] = unit[long] * factor[long, None]", "    block[long] = block[long]"),
        ),
        (f"{CLIPPING}::test_short_rows_are_untouched_and_huge_rows_land_on_the_bound",),
    ),
    Defect(
        "huge-sparse-rows-not-clipped",
        AREA,
        "Rows of a sparse table whose squares overflow are not clipped.",
        "One row moves everything without limit.",
        edited(
            "rows.clip",
            ("    data[long] = unit[long] * factor[long]", "    data[long] = data[long]"),
        ),
        (f"{CLIPPING}::test_sparse_rows_are_clipped_as_dense_ones",),
    ),
    Defect(
        "the-plain-measure-without-a-margin",
        AREA,
        "Rows of usual size are clipped to the bound itself.",
        "Rounding leaves some of them longer than the bound.",
        edited("rows.clip", ("(1 - margin / 2), target * (1 - margin)", "(1 - margin / 2), target")),
        (f"{CLIPPING}::test_doubles_never_exceed_the_bound_and_stay_when_clipped_again",),
    ),
    Defect(
        "the-callers-table-taken-for-ours",
        AREA,
        "A table that somebody else holds is clipped in place.",
        "The caller's rows are changed, and a later edit of them changes the fit.",
        edited("inside.design.dense", ("    matrix = X if ours and (X", "    matrix = X if (X")),
        ("inside/test_what_enters.py::test_a_table_that_is_ours_is_changed_in_place_and_no_other",),
    ),
    Defect(
        "singles-clipped-as-if-not-rounded",
        AREA,
        "Rows that stay in single precision are clipped to the bound of doubles.",
        "Rounding to singles leaves some of them longer than the bound.",
        edited("rows.clip", ("SINGLE = 1 - 2.0**-23", "SINGLE = 1.0")),
        ("inside/test_singles.py::test_rows_in_singles_never_exceed_the_bound_and_stay_when_clipped_again",),
    ),
    Defect(
        "sums-in-singles",
        AREA,
        "Products with rows in single precision are summed in it.",
        "The rounding of a gradient is a billion times what sensitivities and certificates allow.",
        edited(
            "inside.design.dense",
            (
                "            block = np.asarray(self.matrix[part], dtype=np.float64)\n            return _summed(",
                "            block = self.matrix[part]\n            return _summed(",
            ),
            ("turn(scores_in_runs(block, w), part)", "turn(scores_in_runs(block, w.astype(block.dtype)), part)"),
        ),
        ("inside/test_singles.py::test_products_are_those_of_the_same_numbers_in_doubles",),
    ),
    Defect(
        "rows-in-order-with-a-place-twice",
        AREA,
        "Compressed rows count as in order where a place comes twice.",
        "Its pieces are measured apart, and their sum is longer than the bound.",
        edited(
            "rows.owned", ("    np.greater(places[1:], places[:-1]", "    np.greater_equal(places[1:], places[:-1]")
        ),
        (f"{CLIPPING}::test_an_entry_stored_in_pieces_is_measured_whole",),
    ),
    Defect(
        "rows-in-order-with-missing-cells",
        AREA,
        "Compressed rows count as in order though an entry is no number.",
        "A missing cell makes everything missing: a table is told from its neighbour by the answer.",
        edited(
            "rows.owned", ("rising.all() and data.all() and np.isfinite(data).all()", "rising.all() and data.all()")
        ),
        (f"{CLIPPING}::test_a_missing_cell_is_0_and_infinity_a_long_row_and_the_others_stay",),
    ),
    Defect(
        "sparse-rows-not-clipped",
        AREA,
        "Rows of a sparse table are not clipped.",
        "One long row moves everything without limit.",
        edited(
            "rows.clip",
            (
                "            data *= np.repeat(plain_factors(norm, row_norm, row_norm, margin), counts)\n",
                "            pass\n",
            ),
        ),
        (f"{CLIPPING}::test_sparse_rows_are_clipped_as_dense_ones",),
    ),
    Defect(
        "scored-rows-not-clipped",
        AREA,
        "A released model scores rows as long as they are.",
        "What was learnt on clipped rows is applied to others: accuracy falls as epsilon grows.",
        edited("outside.inputs", ("        return bounds.brought_within(table, ours=True)", "        return table")),
        ("outside/test_model.py::test_rows_are_scored_as_long_as_the_fit_took_them",),
    ),
    Defect(
        "bounds-not-kept-in-files",
        AREA,
        "A model's file does not say within which bounds its rows were taken.",
        "A loaded model scores other rows than the one that was saved.",
        edited(
            "outside.fields",
            ("None if model.row_bounds is None else rows_to_fields(model.row_bounds)", "None"),
        ),
        ("outside/test_nothing_is_lost_on_disk.py::test_a_model_comes_back_with_its",),
    ),
    Defect(
        "label-bounds-assumed",
        AREA,
        "Label bounds that nobody stated are taken to be -1 and 1.",
        "Nearly every label is clipped, the model is useless, and nobody is told.",
        edited(
            "estimators._labels",
            (
                "    if bounds is None:\n        raise",
                "    if bounds is None:\n        return -1.0, 1.0\n        raise",
            ),
        ),
        (
            "estimators/test_bad_parameters.py::test_label_bounds_that_nobody_stated_are_asked_for_before_anything_is_spent",
        ),
    ),
    Defect(
        "clipped-counts-at-half-the-noise",
        AREA,
        "Counts of clipped records get the noise for one cell that moves.",
        "A replaced record moves two.",
        edited(
            "gate.tables.clipped",
            (
                "counts_noise(CELLS, of_counts(self.adjacency), self.budget.epsilon)",
                "counts_noise(CELLS, 1, self.budget.epsilon)",
            ),
        ),
        ("estimators/test_count_clipped.py::test_the_noise_is_that_of_two_cells_that_move",),
    ),
    Defect(
        "norms-measured-without-regard-to-length",
        AREA,
        "Clipping leaves the same margin for rows of any number of cells.",
        "The rounding of a sum of millions of squares leaves a row longer than its bound.",
        edited("theory.bounds", ("    return ROUNDING + (columns + 8) * 2.0**-51", "    return ROUNDING")),
        (
            "inside/test_what_enters.py::test_the_margin_covers_a_sum_in_any_order",
            "inside/test_what_enters.py::test_a_row_of_millions_of_cells_stays_below_its_bound",
        ),
    ),
    Defect(
        "singles-clipped-by-the-quick-path-alone",
        AREA,
        "Tables in single precision are taken for short where their squares, in singles, nearly fit.",
        "Rows a little longer than the bound pass.",
        edited(
            "rows.clip",
            (
                "square = _squares(block)\n    clear",
                "square = _squares(block) * (1 - 3e-6)\n    clear",
            ),
        ),
        (
            f"{CLIPPING}::test_doubles_never_exceed_the_bound_and_stay_when_clipped_again",
            "inside/test_dense_design.py",
            "inside/test_what_enters.py",
        ),
    ),
    Defect(
        "long-rows-measured-in-one-go",
        AREA,
        "The squares of a long row are summed in one go, by as many threads as there are at that moment.",
        "A fit of borrowed rows is refused, or not, by how a record is rounded.",
        edited("rows.clip", ("sum(np.vecdot(run, run) for run in runs)", "np.vecdot(block, block)")),
        ("rows/test_clip_by_itself.py::test_a_long_row_measures_the_same_however_many_threads_there_are",),
    ),
    Defect(
        "a-single-row-not-clipped",
        AREA,
        "A table of one row is not clipped.",
        "Under add-remove a lone record leaves as long as it is.",
        edited(
            "rows.clip",
            (
                "    for start in range(0, len(matrix), height):\n        square",
                "    for start in range(0, len(matrix) if len(matrix) > 1 else 0, height):\n        square",
            ),
        ),
        ("inside/test_small_and_large_tables.py::test_every_row_is_clipped_however_many_there_are",),
    ),
    Defect(
        "the-last-block-not-clipped",
        AREA,
        "Only the first block of a large table is clipped.",
        "Rows further down may be as long as they like.",
        edited(
            "rows.clip",
            (
                "        square = _clip_block(matrix[start : start + height], row_norm, target)\n",
                "        if start:\n            break\n"
                "        square = _clip_block(matrix[start : start + height], row_norm, target)\n",
            ),
        ),
        ("inside/test_small_and_large_tables.py::test_every_row_is_clipped_however_many_there_are",),
    ),
    Defect(
        "only-the-first-sparse-rows-clipped",
        AREA,
        "Of a large sparse table only the first block of rows is clipped.",
        "Rows further down may be as long as they like.",
        edited(
            "rows.clip",
            (
                "        _clip_lines(matrix.data[entries], starts, row_norm, margin)\n",
                "        _clip_lines(matrix.data[entries], starts, row_norm, margin)\n        break\n",
            ),
        ),
        ("inside/test_small_and_large_tables.py::test_every_row_is_clipped_however_many_there_are",),
    ),
    Defect(
        "a-line-written-over-the-next",
        AREA,
        "Sparse rows that are put in order begin a place later than where those before end.",
        "An entry of one person is counted as another's, and rows are no longer what was clipped.",
        edited("rows.owned", ("        filled += len(left)\n", "        filled += len(left) + (filled == 0)\n")),
        ("inside/test_what_enters.py::test_rows_are_put_in_order_block_by_block_as_if_at_once",),
    ),
    Defect(
        "pieces-of-an-entry-measured-apart",
        AREA,
        "An entry that a sparse table stores in pieces is measured piece by piece.",
        "The sum of the pieces is longer than the bound.",
        edited(
            "rows.owned",
            (
                "    order = np.lexsort((places, owners))\n",
                "    return owners, places, data\n    order = np.lexsort((places, owners))\n",
            ),
        ),
        (f"{CLIPPING}::test_an_entry_stored_in_pieces_is_measured_whole",),
    ),
    Defect(
        "a-cached-flag-is-trusted",
        AREA,
        "A compressed matrix that calls itself canonical is taken at its word.",
        "Edited after the flag was read it holds rows of any length.",
        edited(
            "rows.owned",
            (
                "        if not _in_order(pointers, places, data, columns):\n",
                "        if not (X.has_canonical_format or _in_order(pointers, places, data, columns)):\n",
            ),
        ),
        ("inside/test_what_enters.py::test_a_flag_from_before_an_edit_does_not_defeat_clipping",),
    ),
    Defect(
        "sparse-memory-shared-with-the-caller",
        AREA,
        "The entries of a sparse table stay the caller's own.",
        "Edited while the fit runs, rows are no longer what was clipped.",
        edited(
            "rows.owned",
            (
                "        return np.array(plain, dtype=wanted, copy=True, subok=False)",
                "        return plain.astype(wanted, copy=False)",
            ),
        ),
        ("inside/test_what_enters.py::test_every_sparse_format_gives_the_same_rows_and_shares_nothing",),
    ),
    Defect(
        "dense-memory-shared-with-the-caller",
        AREA,
        "A dense table in doubles is not copied before it is clipped.",
        "The caller's rows are changed, and a later edit of them changes the fit.",
        edited(
            "rows.owned",
            (
                'np.array(plain, dtype=dtype, order="C", copy=True, subok=False)',
                'np.asarray(plain, dtype=dtype, order="C")',
            ),
        ),
        ("inside/test_what_enters.py::test_every_dense_kind_enters_as_the_same_numbers_in_doubles",),
    ),
    Defect(
        "entries-outside-the-columns-kept",
        AREA,
        "Entries of a sparse table outside its columns are kept.",
        "Products read memory that is not theirs.",
        edited("rows.owned", ("    kept = inside & (places >= 0) & (places < columns) & ", "    kept = ")),
        ("inside/test_what_enters.py::test_pieces_strangers_and_unordered_entries_are_put_right",),
    ),
    Defect(
        "masked-cells-uncovered",
        AREA,
        "The numbers under a mask are taken for the cells.",
        "What the caller hid is learnt from.",
        edited(
            "rows.owned",
            ("    if hidden is not None:\n", "    if hidden is None:\n        return table\n    if False:\n"),
        ),
        ("estimators/test_containers.py::test_a_table_is_plain_ours_and_the_same",),
    ),
    Defect(
        "column-bounds-for-doubles-alone",
        AREA,
        "Bounds of columns are applied to tables in doubles only.",
        "In singles one cell moves the fit as far as a whole row may.",
        edited(
            "inside.records",
            (
                "    if bounds.columns is None:\n",
                "    if bounds.columns is None or getattr(X, 'dtype', None) != np.float64:\n",
            ),
        ),
        ("inside/test_what_enters.py::test_every_dense_kind_enters_as_the_same_numbers_in_doubles",),
    ),
    Defect(
        "missing-cells-filled-from-the-others",
        AREA,
        "A missing cell becomes the mean of the cells that are there.",
        "One record changes what every incomplete record is.",
        edited(
            "rows.owned",
            (
                "    np.copyto(table, middles, where=np.isnan(table))\n",
                "    np.copyto(table, np.nan_to_num(np.nanmean(np.clip(table, -1, 1))), where=np.isnan(table))\n",
            ),
        ),
        (
            "inside/test_what_enters.py::test_a_replaced_row_changes_no_other_and_none_is_longer_than_its_bound",
            "estimators/test_bad_input.py::test_a_strange_cell_is_no_error_and_counts_as_its_rule_says",
        ),
    ),
    Defect(
        "labels-not-clipped",
        AREA,
        "Labels outside their public range are kept as they are.",
        "One wild label moves the fit without limit.",
        edited("inside.labels", ("    return np.clip(doubles, low, high)", "    return doubles")),
        (
            "inside/test_records.py::test_regression_labels_are_clipped_centred_and_scaled",
            "inside/answers/test_shards.py",
        ),
    ),
    Defect(
        "classes-learnt-from-the-labels",
        AREA,
        "Without a list of classes, those found in y are used.",
        "A class that one person alone has is published.",
        edited(
            "estimators._labels",
            ("return (False, True) if y.dtype == bool else USUAL", "return tuple(sorted({0, 1} | set(y.tolist())))"),
        ),
        ("estimators/test_frames.py::test_nothing_tells_a_table_of_ones_from_its_neighbours",),
    ),
    Defect(
        "coding-found-in-the-labels",
        AREA,
        "Without a list of classes, a label of -1 turns the coding into -1 and 1.",
        "The classes tell whether one record had that label.",
        edited(
            "estimators._labels",
            (
                "return (False, True) if y.dtype == bool else USUAL",
                "return (False, True) if y.dtype == bool else (-1, 1) if -1 in y.tolist() else USUAL",
            ),
        ),
        ("estimators/test_frames.py::test_nothing_tells_a_table_of_ones_from_its_neighbours",),
    ),
    Defect(
        "unknown-labels-refused",
        AREA,
        "A label that is none of the classes is an error again.",
        "The error tells, with certainty, that one record has such a label.",
        edited(
            "inside.labels",
            (
                "    codes = class_places(labels, classes).astype(np.float64)\n",
                "    if not all(label in classes for label in np.asarray(labels).tolist()):\n"
                "        raise __import__('equipoise').InvalidInput('y: unknown')\n"
                "    codes = class_places(labels, classes).astype(np.float64)\n",
            ),
        ),
        ("estimators/test_bad_input.py::test_a_strange_label_is_no_error_and_counts_as_its_rule_says",),
    ),
    Defect(
        "a-words-presence-turns-numbers-into-text",
        AREA,
        "A list of labels becomes one array of whatever type holds them all.",
        "One word among the labels changes what all the others are.",
        edited(
            "rows.lists",
            (
                "    return np.fromiter(labels, dtype=object, count=len(labels))",
                "    return np.asarray(labels)",
            ),
        ),
        (
            "estimators/test_each_record_by_itself.py::test_a_list_is_read_cell_by_cell_whatever_else_it_holds",
            "estimators/test_bad_input.py::test_a_strange_label_is_no_error_and_counts_as_its_rule_says",
        ),
    ),
    Defect(
        "cells-asked-for-their-class",
        AREA,
        "What a cell is is asked of the cell itself.",
        "An object whose class cannot be asked for ends a fit before its debit: one row decides for free.",
        edited("_asking", ("    return issubclass(type(each), kinds)", "    return isinstance(each, kinds)")),
        ("estimators/test_odd_cells.py::test_an_odd_cell_is_like_any_other_that_is_none",),
    ),
    Defect(
        "cells-compared-by-their-types-own-code",
        AREA,
        "Types of cells are put into a set, which hashes them by their metaclass.",
        "A type that cannot be hashed ends a fit before its debit: one row decides for free.",
        edited(
            "_asking", ("set(map(id, map(type, cells))) <= set(map(id, kinds))", "set(map(type, cells)) <= {*kinds}")
        ),
        ("estimators/test_odd_cells.py::test_an_odd_cell_is_like_any_other_that_is_none",),
    ),
    Defect(
        "only-exceptions-forgiven",
        AREA,
        "What a cell's own code raises is caught only where it is an Exception.",
        "A panic of a library's, which is none, ends a fit before its debit.",
        edited("_asking", ("    except BaseException:", "    except (Exception, SystemExit):")),
        ("estimators/test_odd_cells.py::test_an_odd_cell_is_like_any_other_that_is_none",),
    ),
    Defect(
        "other-columns-looked-at-for-a-type",
        AREA,
        "The type of one column is read off the frame's schema, for which cells of all columns are looked at.",
        "A cell in a column of objects ends a fit before its debit.",
        edited("schema.tables.frames", ("    dtype = column.dtype  #", "    dtype = frame.schema[name]  #")),
        ("estimators/test_odd_cells.py",),
    ),
    Defect(
        "lists-read-at-once-where-numpy-can",
        AREA,
        "A list of rows is read by NumPy where that finds numbers, and cell by cell only where it does not.",
        "A gap in one record changes what numbers of other types are in all the others.",
        edited(
            "rows.lists",
            (
                "    if only_of(cells, *PLAIN):\n",
                "    if np.asarray(cells).dtype.kind in 'biuf':\n",
            ),
            (
                "    return np.array([number_of(cell) for cell in cells], dtype=np.float64)",
                "    return np.array([number_of(cell) if type(cell) in PLAIN else np.nan for cell in cells])",
            ),
        ),
        (BY_ITSELF,),
    ),
    Defect(
        "a-list-of-truths-has-a-dtype",
        AREA,
        "A list of nothing but True and False is one of booleans.",
        "The classes of the model tell whether one record has no label.",
        edited(
            "rows.lists",
            ("            return np.array(labels, dtype=np.int64)", "            return np.array(labels)"),
        ),
        (BY_ITSELF,),
    ),
    Defect(
        "labels-in-lists-by-the-depth-of-all",
        AREA,
        "Labels in lists of one are taken out only if all of them are.",
        "One label without its list makes all the others no class.",
        edited(
            "rows.lists",
            (
                "    labels = [alone(label) for label in given]",
                "    labels = [alone(label) for label in given] if only_lists(given) else given",
            ),
        ),
        (BY_ITSELF,),
    ),
    Defect(
        "sequences-judged-by-numpy",
        AREA,
        "Only lists and tuples are read cell by cell; of other sequences NumPy finds the dtype.",
        "One gap has the whole table refused, for nothing.",
        edited(
            "rows.lists",
            (
                "    return not any(hasattr(X, name) for name in OWN_ARRAYS) and not _has_buffer(X)",
                "    return False",
            ),
        ),
        (BY_ITSELF,),
    ),
    Defect(
        "conversions-warn-at-the-entrance",
        AREA,
        "What conversions warn of is heard before the debit.",
        "A long double that does not fit, or a NaN of a certain kind, is told of for nothing.",
        edited(
            "rows.tables",
            ("    with unseen():\n        read =", "    if True:\n        read ="),
        ),
        ("estimators/test_each_record_by_itself.py::test_a_column_is_read_by_its_dtype_whatever_gaps_it_holds",),
    ),
    Defect(
        "arrow-columns-as-numpy-has-them",
        AREA,
        "Arrow columns are read as NumPy shows them, truths with gaps as objects.",
        "One gap has the whole table refused, for nothing.",
        edited(
            "rows.frames",
            (
                "numbers = _of_numbers(column.type, arrow.types)",
                "numbers = column.to_numpy(zero_copy_only=False).dtype.kind in NUMBERS",
            ),
        ),
        ("estimators/test_each_record_by_itself.py::test_a_column_is_read_by_its_dtype_whatever_gaps_it_holds",),
    ),
    Defect(
        "the-shape-of-private-rows-asked-of-numpy",
        AREA,
        "The shape of a list of rows to forecast is that of the array which NumPy makes of it.",
        "An error that one of the cells raises is heard, for nothing, with its words.",
        edited(
            "estimators.calibration",
            ("        return shape_of(X)\n", "        return np.array(X, dtype=object).shape\n"),
        ),
        ("estimators/test_calibration.py::test_no_cell_of_a_list_of_private_rows_is_heard_of",),
    ),
    Defect(
        "cells-of-a-dictionary-put-in-by-numpy",
        AREA,
        "The lists of a dictionary are put into a column by NumPy, which looks into every cell.",
        "An error that one of the cells raises makes its column missing from the table, for nothing.",
        edited(
            "schema.tables.table",
            (
                "    return np.fromiter(held, dtype=object, count=len(held))",
                "    array = np.empty(len(held), dtype=object)\n    array[:] = held\n    return array",
            ),
        ),
        (BY_ITSELF,),
    ),
    Defect(
        "tables-warn-of-their-cells",
        AREA,
        "What reading a table with a schema warns of is heard before the debit.",
        "A long double that does not fit is told of for nothing.",
        edited(
            "schema.tables.reading",
            ("    with unseen():  # what a cell makes", "    if True:  # what a cell makes"),
        ),
        ("estimators/test_each_record_by_itself.py::test_a_column_is_read_by_its_dtype_whatever_gaps_it_holds",),
    ),
    Defect(
        "row-norm-learnt-from-the-rows",
        AREA,
        "The row norm is that of the longest row.",
        "The noise, and the guarantee that states it, tell about one record.",
        edited(
            "estimators.linear.base",
            (
                "            listed = self._declared(labels)\n",
                "            self.row_norm = float(np.sqrt((abs(rows) ** 2).sum(axis=1)).max())\n"
                "            listed = self._declared(labels)\n",
            ),
        ),
        ("estimators/test_fitted_holds_only_released_values.py::test_parameters_are_left_as_given",),
    ),
    Defect(
        "values-refused-at-the-entrance",
        AREA,
        "Missing values are refused while the shape is checked.",
        "An error tells, for nothing, what is in the records.",
        edited(
            "rows.tables",
            (
                "        settle(table, middles)\n",
                "        if np.isnan(table).any():\n"
                "            raise InvalidInput(NOT_TWO)\n"
                "        settle(table, middles)\n",
            ),
        ),
        ("estimators/test_queries_as_fitted.py::test_a_missing_cell_ends_no_fit_of_a_predictor",),
    ),
    Defect(
        "objects-judged-by-their-values",
        AREA,
        "A table of dtype object is refused only if one of its cells is no number.",
        "Whether it is refused, for nothing, tells about a single cell.",
        edited(
            "rows.owned",
            (
                "    check_dtype(plain.dtype)\n    dtype",
                "    numbers = plain.dtype == object and all(isinstance(c, float) for c in plain.ravel())\n"
                "    plain = plain.astype(float) if numbers else plain\n"
                "    check_dtype(plain.dtype)\n    dtype",
            ),
        ),
        ("estimators/test_bad_input.py::test_wrong_shape_or_type_is_refused_for_free",),
    ),
    Defect(
        "a-strangers-forecast-error-repeated",
        AREA,
        "What a stranger's classifier says about a private row is passed on.",
        "Its message quotes the row.",
        edited(
            "estimators._forecasts",
            (
                "    said = alone(lambda: np.array(model.predict_proba(part(row)), dtype=np.float64), SEED, model)\n",
                "    said = np.array(model.predict_proba(part(row)), dtype=np.float64)\n",
            ),
        ),
        ("estimators/test_calibration.py::test_a_strangers_error_stays_inside_and_spoils_no_other_row",),
    ),
    Defect(
        "predictors-asked-about-private-rows",
        AREA,
        "A predictor that pays for each answer may be calibrated on private rows.",
        "Its ledger tells how many of the rows are different.",
        edited("estimators.calibration", ("    refuse_answering(model)\n", "")),
        ("estimators/test_calibration.py::test_a_predictor_that_answers_is_refused_before_anything_is_asked",),
    ),
    Defect(
        "strangers-asked-in-batches",
        AREA,
        "A stranger's classifier is asked about all private rows at once.",
        "What it says of one row may depend on the others.",
        edited(
            "estimators._forecasts",
            (
                "    return lambda: _one_by_one(model, part, rows)",
                "    return lambda: np.asarray(model.predict_proba(X))[:, 1]",
            ),
        ),
        ("estimators/test_calibration.py::test_a_strangers_error_stays_inside_and_spoils_no_other_row",),
    ),
    Defect(
        "strangers-message-passed-on",
        AREA,
        "scikit-learn's message about bad input is passed on as it is.",
        "What it shows, and on how many lines, is up to somebody else.",
        edited("estimators._inputs", ("    if message.startswith(DATA_FREE):", "    if message:")),
        ("estimators/test_queries_as_fitted.py::test_a_name_that_is_no_text_is_told_in_our_words",),
    ),
    Defect(
        "secret-size-used-as-the-public-one",
        AREA,
        "Under add-remove the true number of rows takes the place of the nominal one.",
        "The plan, the noise and the card tell how many rows there are.",
        edited("estimators.linear.base", ("return whole(public_n=self.public_n)", "return rows")),
        ("estimators/linear/test_centre_and_adjacency.py::test_secret_number_of_rows_is_nowhere_in_the_model",),
    ),
    Defect(
        "rows-kept-on-the-model",
        AREA,
        "The fitted estimator keeps the table it was fitted on.",
        "Whoever gets the pickle gets the records.",
        edited(
            "estimators.linear.base",
            (
                "            bits = noise_source(self.noise, self.random_state)\n",
                "            bits = noise_source(self.noise, self.random_state)\n            self._rows = rows\n",
            ),
        ),
        (
            "estimators/test_fitted_holds_only_released_values.py::test_no_record_and_nothing_private_hangs_on_"
            "the_model",
        ),
    ),
    Defect(
        "one-huge-row-measures-all",
        AREA,
        "Where one compressed row is huge, all rows of its block are measured a second time.",
        "At the line the two measures differ: one record shortens the rows of others, which no sensitivity counts.",
        edited("rows.clip", ("np.where(plain, np.nan, shrunk)", "shrunk")),
        ("rows/test_clip_by_itself.py::test_a_huge_row_does_not_shorten_others",),
    ),
    Defect(
        "columns-read-before-their-type-is-known",
        AREA,
        "A column of a frame is read before its type is looked at.",
        "What one cell holds decides which error is shown, before anything is paid, and the error quotes it.",
        edited(
            "rows.frames",
            ('check_dtype(_dtype(column), f"', 'check_dtype(_column(column).dtype, f"'),
        ),
        (f"{COLUMN_CELLS}::test_columns_that_are_no_numbers_are_refused_before_a_cell_is_read",),
    ),
    Defect(
        "days-beyond-the-calendar-asked-for",
        AREA,
        "polars is asked for days that Python has no objects for.",
        "One record ends a fit before anything is paid, with lines on the terminal that nobody can catch.",
        edited("rows.column_cells", ("if kind.is_temporal() and kind != polars.Time:", "if False:")),
        (f"{COLUMN_CELLS}::test_one_cell_that_cannot_be_read_leaves_the_others_as_they_were",),
    ),
    Defect(
        "bytes-that-are-no-text-asked-for-as-text",
        AREA,
        "polars is asked for words whose bytes are no text.",
        "One record ends a fit before anything is paid, with lines on the terminal that nobody can catch.",
        edited("rows.column_cells", ("if kind == polars.String:", "if False:")),
        (f"{COLUMN_CELLS}::test_one_cell_that_cannot_be_read_leaves_the_others_as_they_were",),
    ),
    Defect(
        "words-of-a-frame-read-as-a-whole",
        AREA,
        "Words for tasks and categories are read from a frame as a whole.",
        "One cell that cannot be read ends a fit before anything is paid.",
        edited("rows.codes", ("column.code(cells_in(X.iloc[:, place]))", "column.code(X.iloc[:, place].tolist())")),
        (f"{COLUMN_CELLS}::test_no_cell_of_a_frame_decides_whether_a_fit_is_refused",),
    ),
)
