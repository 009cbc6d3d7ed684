"""Defects of rows that are held as weights on slots: of others' cells, measured or summed otherwise than is proved."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "additive models"
ROOTED = "inside/test_rooted.py"

DEFECTS = (
    Defect(
        "slots-weighed-by-the-others",
        AREA,
        "The weights of a column are stretched, so that the largest in it is one.",
        "One record changes what others weigh: the rows of neighbours differ in many places.",
        edited(
            "inside.design.rooted",
            ("= left + span.start, part\n", "= left + span.start, part / max(float(part.max(initial=0.0)), 0.5)\n"),
        ),
        (f"{ROOTED}::test_no_record_changes_what_another_weighs",),
    ),
    Defect(
        "slots-with-a-whole-first-weight",
        AREA,
        "A cell weighs one on the slot below it, wherever it lies, and its part on the next.",
        "Weights sum to more than one, and nothing clips the row that they make.",
        edited("inside.design.coupled", ("np.stack([1.0 - parts, parts]", "np.stack([0.0 * parts + 1.0, parts]")),
        (f"{ROOTED}::test_no_row_is_longer_than_its_bound_nor_measured_shorter_than_evening_allows",),
    ),
    Defect(
        "slots-measured-one-by-one",
        AREA,
        "The length of a row is that of its slots' parts as if they stood at right angles.",
        "A row between two slots measures less than it is, counts for more, and pulls harder than the noise is for.",
        edited("inside.design.rooted", ("in combinations(range(parts.shape[1]), 2)", "in combinations(range(1), 2)")),
        (f"{ROOTED}::test_no_row_is_longer_than_its_bound_nor_measured_shorter_than_evening_allows",),
    ),
    Defect(
        "slots-rounded-by-a-measured-length",
        AREA,
        "Rounding is reckoned in units of the longest row as it measures.",
        "Between opposite slots a row is nearly nothing and its rounding is not: a certificate is too short.",
        edited(
            "inside.design.rooted", ("return self.bound if self.rows", "return float(self._norms.max()) if self.rows")
        ),
        (f"{ROOTED}::test_rounding_is_that_of_the_slots_where_a_row_between_them_is_nearly_nothing",),
    ),
    Defect(
        "slots-summed-in-one-go",
        AREA,
        "A pass over couples sums a part of the table as one group.",
        "A sum is off by more than its depth says, which is all that covers it.",
        edited("inside.design.coupled", ("some, self._height, part)", "some, self.rows, self.rows)")),
        (f"{ROOTED}::test_long_sums_of_equal_weights_stay_within_their_depth",),
    ),
    Defect(
        "slots-by-the-number-of-records",
        AREA,
        "Small tables have their rows written out.",
        "Rows are rounded otherwise on either side of a number of records, which add-remove keeps secret.",
        edited(
            "inside.records",
            ("and may_be_rooted(bounds.encoding):", "and may_be_rooted(bounds.encoding) and len(X) > 2:"),
        ),
        (f"{ROOTED}::test_which_rows_are_written_out_is_public",),
    ),
)
