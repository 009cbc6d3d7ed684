"""Defects of the entrance: clipping, encoding, and what an error may say."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "records"
CLIPPING = "inside/test_clipping.py"

DEFECTS = (
    Defect(
        "dense-rows-not-clipped",
        AREA,
        "Rows of a dense table are not clipped.",
        "One long row moves everything without limit.",
        edited(
            "inside.design.dense",
            ("    block[long] = unit[long] * factor[long, None]", "    block[long] = block[long]"),
        ),
        (f"{CLIPPING}::test_doubles_never_exceed_the_bound_and_stay_when_clipped_again",),
    ),
    Defect(
        "sparse-rows-not-clipped",
        AREA,
        "Rows of a sparse table are not clipped.",
        "One long row moves everything without limit.",
        edited(
            "inside.design.sparse",
            ("    matrix.data[long] = unit[long] * factor[long]", "    matrix.data[long] = matrix.data[long]"),
        ),
        (f"{CLIPPING}::test_sparse_rows_are_clipped_as_dense_ones",),
    ),
    Defect(
        "singles-clipped-as-doubles",
        AREA,
        "Rows in single precision are clipped as close to the bound as doubles.",
        "Rounding to singles leaves rows longer than the bound.",
        edited(
            "inside.design.clip", ("return SINGLE_ROUNDING if dtype == np.float32 else ROUNDING", "return ROUNDING")
        ),
        (f"{CLIPPING}::test_singles_never_exceed_the_bound_and_stay_when_clipped_again",),
    ),
    Defect(
        "singles-not-clipped",
        AREA,
        "Tables in single precision pass without being clipped.",
        "One long row moves everything without limit.",
        edited(
            "inside.design.dense",
            ("    long = ~np.isnan(factor)", "    long = ~np.isnan(factor) & (block.dtype != np.float32)"),
        ),
        (f"{CLIPPING}::test_singles_never_exceed_the_bound_and_stay_when_clipped_again",),
    ),
    Defect(
        "a-single-row-not-clipped",
        AREA,
        "A table of one row is not clipped.",
        "Under add-remove a lone record leaves as long as it is.",
        edited(
            "inside.design.dense",
            (
                "    for start in range(0, len(matrix), height):\n        _clip",
                "    for start in range(0, len(matrix) if len(matrix) > 1 else 0, height):\n        _clip",
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
            "inside.design.dense",
            (
                "        _clip_block(matrix[start : start + height], row_norm)\n",
                "        _clip_block(matrix[start : start + height], row_norm)\n        break\n",
            ),
        ),
        ("inside/test_small_and_large_tables.py::test_every_row_is_clipped_however_many_there_are",),
    ),
    Defect(
        "pieces-of-an-entry-measured-apart",
        AREA,
        "An entry that a sparse table stores in pieces is measured piece by piece.",
        "The sum of the pieces is longer than the bound.",
        edited("inside.design.sparse", ("    if not X.has_canonical_format:", "    if False:")),
        (f"{CLIPPING}::test_an_entry_stored_in_pieces_is_measured_whole",),
    ),
    Defect(
        "labels-not-clipped",
        AREA,
        "Labels outside their public range are kept as they are.",
        "One wild label moves the fit without limit.",
        edited(
            "inside.records",
            ("(np.clip(numbers, low, high) - bounds.label_centre)", "(numbers - bounds.label_centre)"),
            ("return np.clip(centred, -1.0, 1.0)", "return np.asarray(centred)"),
        ),
        ("inside/test_records.py::test_regression_labels_are_clipped_centred_and_scaled",),
    ),
    Defect(
        "classes-learnt-from-the-labels",
        AREA,
        "Without a list of classes, those found in y are used.",
        "A class that one person alone has is published.",
        edited(
            "estimators._labels",
            ("return (False, True) if y.dtype == bool else None", "return tuple(np.unique(y).tolist())"),
        ),
        ("estimators/test_bad_input.py::test_labels_that_follow_no_convention_must_be_listed",),
    ),
    Defect(
        "row-norm-learnt-from-the-rows",
        AREA,
        "The row norm is that of the longest row.",
        "The noise, and the guarantee that states it, tell about one record.",
        edited(
            "estimators.linear.base",
            (
                "        listed = self._classes_before_looking(labels)\n",
                "        self.row_norm = float(np.sqrt((abs(rows) ** 2).sum(axis=1)).max())\n"
                "        listed = self._classes_before_looking(labels)\n",
            ),
        ),
        ("estimators/test_fitted_holds_only_released_values.py::test_parameters_are_left_as_given",),
    ),
    Defect(
        "values-checked-before-the-debit",
        AREA,
        "Missing values are found while the shape is checked, before anything is paid.",
        "An error tells, for nothing, what is in the records.",
        edited(
            "estimators._inputs",
            (
                "ensure_min_samples: int, ensure_all_finite: bool = False)",
                "ensure_min_samples: int, ensure_all_finite: bool = True)",
            ),
        ),
        ("estimators/test_bad_input.py::test_refusing_a_value_costs_what_was_planned",),
    ),
    Defect(
        "label-quoted-in-an-error",
        AREA,
        "The error about words among the labels shows one.",
        "A record's label is printed to whoever reads the log.",
        edited(
            "inside.records",
            (
                'raise InvalidInput("y: must be numbers") from None',
                'raise InvalidInput(f"y: {labels[0]!r} must be a number") from None',
            ),
        ),
        ("inside/test_records.py::test_words_as_regression_labels_are_refused_without_quoting_them",),
    ),
    Defect(
        "unknown-label-quoted",
        AREA,
        "The error about a label outside the classes shows it.",
        "A record's label is printed to whoever reads the log.",
        edited(
            "inside.records",
            (
                'raise InvalidInput("y: holds a label outside classes, list',
                'raise InvalidInput(f"y: {labels[index < 0][0]!r} is outside classes, list',
            ),
        ),
        ("inside/test_records.py::test_a_label_outside_classes_is_refused_without_quoting_it",),
    ),
    Defect(
        "strangers-message-passed-on",
        AREA,
        "scikit-learn's message about bad input is passed on as it is.",
        "It may show values of the table, on several lines.",
        edited("estimators._inputs", ("    if message.startswith(DATA_FREE):", "    if message:")),
        ("estimators/test_bad_input.py::test_wrong_shape_or_type_is_refused_for_free",),
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
                "        bits = noise_source(self.noise, self.random_state)\n",
                "        bits = noise_source(self.noise, self.random_state)\n        self._rows = rows\n",
            ),
        ),
        (
            "estimators/test_fitted_holds_only_released_values.py::test_no_record_and_nothing_private_hangs_on_"
            "the_model",
        ),
    ),
)
