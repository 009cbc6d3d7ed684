"""Defects of additive models: maps that are not of one record, rows too long, bands too narrow."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "additive models"
COLUMNS = "theory/additive/test_columns.py"
ENCODING = "theory/additive/test_encoding.py"
OPENING = "theory/additive/test_opening.py"
WALK = "gate/models/test_opening_walk.py"
NOISE = "theory/additive/test_noise.py"
ESTIMATORS = "estimators/additive/test_additive.py"
PLACING = "estimators/additive/test_placing.py"
PAYING = "estimators/additive/test_bends_that_pay.py"

DEFECTS = (
    Defect(
        "additive-clipped-by-the-data",
        AREA,
        "A number is clipped to nine tenths of the largest in its column, where that is below the public bound.",
        "One record changes what others become: the rows of neighbours differ in many places.",
        edited(
            "theory.additive.columns",
            ("cells), knots[0], knots[-1])", "cells), knots[0], np.fmin(knots[-1], 0.9 * np.fmax.reduce(cells)))"),
        ),
        (f"{COLUMNS}::test_no_cell_changes_what_another_becomes",),
    ),
    Defect(
        "additive-shares-forgotten",
        AREA,
        "Each column's numbers keep the whole of the row's norm.",
        "Rows are as long as the root of the number of columns; what clips them then scores other rows than it learnt.",
        edited(
            "theory.additive.encoding", ("return down(1 / math.sqrt(len(self.basis.terms)), WELL_CLEAR)", "return 1.0")
        ),
        (f"{ENCODING}::test_no_record_has_a_row_longer_than_one",),
    ),
    Defect(
        "additive-pairs-without-a-share",
        AREA,
        "The norm is shared among the columns alone, as if pairs added nothing to a row.",
        "Rows with pairs are longer than the bound that the noise is for.",
        edited("theory.additive.encoding", ("math.sqrt(len(self.basis.terms))", "math.sqrt(len(self.basis.columns))")),
        (f"{ENCODING}::test_no_record_has_a_row_longer_than_one",),
    ),
    Defect(
        "additive-variance-above-one",
        AREA,
        "Shapes are expected to have variance 1.2, and the root's rows are not brought to norm one.",
        "Rows are longer than one wherever a number sits on a knot.",
        edited(
            "theory.additive.encoding",
            ("np.asarray(root / np.linalg.norm(root, axis=1, keepdims=True))", "np.asarray(root)"),
            ("(1 - self.straight) * np.exp", "(1.2 - self.straight) * np.exp"),
        ),
        (f"{ENCODING}::test_no_record_has_a_row_longer_than_one",),
    ),
    Defect(
        "additive-ramp-without-ends",
        AREA,
        "A straight shape goes on at its slope to the ends of its range.",
        "Rows at the ends are 1.7 times as long as the bound that the noise is for.",
        edited(
            "theory.additive.opened",
            (
                "np.clip(STEEP * np.linspace(-1.0, 1.0, column.shown), -1.0, 1.0)",
                "STEEP * np.linspace(-1, 1, column.shown)",
            ),
        ),
        (f"{ENCODING}::test_no_record_has_a_row_longer_than_one",),
    ),
    Defect(
        "additive-bends-beside-a-whole-ramp",
        AREA,
        "Where bends are left out, those that stay are not brought to the length of a row.",
        "Rows are longer than the bound that the noise is for, at some knots.",
        edited(
            "theory.additive.opened",
            ("curves / np.linalg.norm(curves, axis=1).max()", "curves / np.linalg.norm(curves, axis=1).min()"),
        ),
        (f"{ENCODING}::test_a_line_beside_bends_keeps_its_slope_and_no_row_is_longer_than_its_share",),
    ),
    Defect(
        "bends-by-records-for-each-column",
        AREA,
        "All bends are taken whatever their plan foretells.",
        "More epsilon makes a model much worse where one column of many carries all.",
        edited(
            "estimators.additive.bends",
            ("        if left > NOISE:", "        if left > 1.0:"),
            ("        if left + part < least:", "        if part < least:"),
        ),
        (f"{PAYING}::test_a_column_that_carries_all_is_learnt_no_worse_with_more_epsilon",),
    ),
    Defect(
        "labels-that-may-be-narrow-bend-too-soon",
        AREA,
        "Bends of numbers are worth as much where the usual range of labels is not found first.",
        "Labels in bounds far too wide drown in the noise of bends.",
        edited("estimators.additive.bends", ("MISSED_IN_WIDE_LABELS if wide else MISSED", "MISSED")),
        (f"{PAYING}::test_narrow_labels_are_learnt_no_worse_with_more_epsilon",),
    ),
    Defect(
        "opened-bends-beside-a-whole-line",
        AREA,
        "Bends that open have the whole of a row's square beside the line's part.",
        "Rows at the ends of a column are longer than the bound that the noise is for.",
        edited("theory.additive.opened", ("np.sqrt(1 - KEPT * along**2)[:, None]", "np.ones_like(along)[:, None]")),
        (f"{ENCODING}::test_no_record_has_a_row_longer_than_one",),
    ),
    Defect(
        "corners-too-far-apart",
        AREA,
        "The corners that stand for listed values lie twice as far from the middle as the bound says.",
        "Rows with listed values are longer than the bound that the noise is for.",
        edited(
            "theory.additive.opened", ("np.asarray(result / np.linalg.norm", "np.asarray(2 * result / np.linalg.norm")
        ),
        (f"{ENCODING}::test_no_record_has_a_row_longer_than_one",),
    ),
    Defect(
        "bends-opened-by-the-records",
        AREA,
        "Whether a bend opens is read off the exact gradient, where the noisy one leaves it shut.",
        "The points that gradients are asked at, and with them what is released, hold numbers that nobody paid for.",
        edited(
            "gate.models.noisy_gradients",
            (
                "point = opening.opened(walked, sizes[: step + 1])",
                "exact = evened_gradient(records, facts, point).reveal()\n"
                "        point = opening.opened(walked - exact, sizes[: step + 1])",
            ),
        ),
        (f"{WALK}::test_every_point_is_made_of_noisy_gradients_and_public_numbers_alone",),
    ),
    Defect(
        "noise-of-a-point-before-it-opened",
        AREA,
        "The noise of a gradient suits the point with its bends shut, while it is asked where they are open.",
        "Longer coefficients have longer gradients, which stand above their noise.",
        edited(
            "gate.models.noisy_gradients",
            (
                "noise = _noise_at(plan, point)",
                "noise = _noise_at(plan, opening.opened(walked, 1e9 + sizes[: step + 1]))",
            ),
        ),
        (f"{WALK}::test_each_gradient_has_the_noise_of_the_point_it_is_asked_at",),
    ),
    Defect(
        "bends-opened-by-half-their-noise",
        AREA,
        "A group of bends is held back by half of what its noise is long.",
        "Noise is drawn as a bend, and the card says that it stood out of the noise.",
        edited("theory.additive.opening", ("noise = self.step_size * float(", "noise = 0.5 * self.step_size * float(")),
        (f"{OPENING}::test_the_noise_of_a_group_without_signal_is_as_long_as_it_is_reckoned",),
    ),
    Defect(
        "additive-bends-by-the-records",
        AREA,
        "How many bends a shape has goes by the rows that are there, under add-remove too.",
        "The number of released numbers says how many records there are, which add-remove keeps secret.",
        edited(
            "estimators.linear.base",
            ("plan = self._plan(self._public_size(rows.shape[0]),", "plan = self._plan(rows.shape[0],"),
        ),
        (f"{ESTIMATORS}::test_bends_go_by_the_nominal_size_where_the_number_of_rows_is_secret",),
    ),
    Defect(
        "additive-lines-go-on",
        AREA,
        "Beyond the outer knots a number weighs on, with weights below zero and above one.",
        "A row can be of any length.",
        edited(
            "theory.additive.columns",
            (
                "held = np.clip(np.where(missing, knots[0], cells), knots[0], knots[-1])",
                "held = np.where(missing, knots[0], cells)",
            ),
            (
                "part = np.clip((held - knots[left]) / (knots[left + 1] - knots[left]), 0.0, 1.0)",
                "part = (held - knots[left]) / (knots[left + 1] - knots[left])",
            ),
        ),
        (
            f"{COLUMNS}::test_the_weights_of_any_number_are_an_average",
            f"{ENCODING}::test_no_record_has_a_row_longer_than_one",
        ),
    ),
    Defect(
        "additive-unlisted-is-an-error",
        AREA,
        "A value that is not among the categories is refused.",
        "The error says, with certainty, that some record holds such a value.",
        edited(
            "theory.additive.columns",
            ("return known.get(str.__str__(held), np.inf)", "return known[str.__str__(held)]"),
        ),
        (f"{COLUMNS}::test_words_are_coded_by_their_place_and_strange_objects_are_missing",),
    ),
    Defect(
        "additive-rounds-with-the-others",
        AREA,
        "Rows are encoded by one product of the whole table.",
        "How a row is rounded depends on how many rows there are, which add-remove keeps secret.",
        edited(
            "theory.additive.encoding",
            (
                "result[:, span] = term.weights(table).average(root)",
                "result[:, span] = term.weights(table).average(np.eye(term.slots)) @ root",
            ),
        ),
        (f"{ENCODING}::test_rows_enter_without_being_clipped_and_each_by_itself",),
    ),
    Defect(
        "additive-band-halved",
        AREA,
        "A shape's noise is said to be half of what it is.",
        "A reader takes noise for a finding.",
        edited("theory.additive.noise", ("return plan.noise.rms\n", "return plan.noise.rms / 2\n")),
        (f"{NOISE}::test_repeated_fits_vary_no_more_than_the_band_says",),
    ),
    Defect(
        "additive-columns-guessed",
        AREA,
        "Names of columns are matched to an array by the order in which the parameters mention them.",
        "Bounds meant for one column clip another: what was stated is not what is done.",
        edited("estimators.additive.shared", ("if column_names(X) is None and stated", "if False and stated")),
        (f"{ESTIMATORS}::test_sparse_tables_objects_and_nameless_columns_are_refused",),
    ),
    Defect(
        "columns-guessed-where-they-are-counted",
        AREA,
        "What would be clipped is counted by ranges whose names are matched by the order in which they are mentioned.",
        "A count is charged for, and is another column's.",
        edited("estimators.clipped", ("        refuse_nameless(estimator.column_bounds, names_of(reader))\n", "")),
        ("estimators/test_column_bounds_stated.py::test_nothing_is_counted_by_guessed_columns",),
    ),
    Defect(
        "additive-gaps-filled-by-the-table",
        AREA,
        "A missing number of a table is taken to be the mean of its column, not what the schema says.",
        "Everybody's value is in the row of whoever left a gap.",
        edited(
            "schema.encoding.additive",
            (
                "    return np.where(np.isnan(values), fill, values)",
                "    return np.where(np.isnan(values), np.nanmean(values) if np.isfinite(fill) else fill, values)",
            ),
        ),
        ("estimators/table/test_fit_additive.py::test_every_cell_follows_the_rule_of_its_column",),
    ),
    Defect(
        "words-of-a-list-read-as-gaps",
        AREA,
        "Lists of words are taken where words are listed as categories.",
        "Every cell of the column counts as missing: a column of nothing is learnt, paid for, in silence.",
        edited("rows.codes", ("if is_list(X) and any", "if False and any")),
        (f"{ESTIMATORS}::test_where_words_are_listed_a_list_is_refused_by_its_type_and_never_by_what_it_holds",),
    ),
)
