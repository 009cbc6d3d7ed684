"""Defects of rows that are seen from a middle."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "rows seen from a middle"
MIDDLE = "gate/models/test_middle.py"
VIEW = "inside/test_view.py"

DEFECTS = (
    Defect(
        "middle-not-paid",
        AREA,
        "The mean row is released on top of steps that spend the whole budget.",
        "One more release than the ledger knows of.",
        edited(
            "gate.models.noisy_gradients",
            ("for each in (last, first, measure) if", "for each in (last, measure) if"),
        ),
        (f"{MIDDLE}::test_steps_and_middle_together_spend_exactly_the_budget",),
    ),
    Defect(
        "middle-as-private-as-its-price-squared",
        AREA,
        "A middle at the price of k steps has k times the privacy loss of a step, not √k times.",
        "Its noise is √k too small.",
        edited("gate.models.middle", ("own = math.isqrt(first.steps) * mu", "own = first.steps * mu")),
        (f"{MIDDLE}::test_steps_and_middle_together_spend_exactly_the_budget",),
    ),
    Defect(
        "middle-of-rows-that-vanish",
        AREA,
        "The sensitivity of the mean row supposes that a replaced row was zero.",
        "Opposite rows are twice as far apart.",
        edited(
            "theory.sensitivity",
            ("moved = 2 * (facts.together + sums", "moved = (facts.together + sums"),
        ),
        (f"{MIDDLE}::test_replacing_a_row_moves_the_mean_row_by_the_stated_sensitivity_and_never_more",),
    ),
    Defect(
        "middle-as-if-rows-were-near",
        AREA,
        "The sensitivity of the mean row is taken from the reach, which holds only afterwards.",
        "Rows enter within R of zero, 2.5 times as far.",
        edited(
            "theory.sensitivity",
            ("sums_rounding(facts)) * facts.bounds.row_norm", "sums_rounding(facts)) * facts.bounds.reach"),
        ),
        (
            f"{MIDDLE}::test_steps_and_middle_together_spend_exactly_the_budget",
            f"{MIDDLE}::test_a_replay_moves_as_far_as_was_paid_for_and_no_further",
        ),
    ),
    Defect(
        "middle-without-noise",
        AREA,
        "Rows are seen from their exact mean.",
        "The mean is a bare function of the records, and is written into the model.",
        edited(
            "gate.models.middle", ("shrunk(found, noise.rms", "shrunk(mean_row(records, facts.n).reveal(), noise.rms")
        ),
        (f"{MIDDLE}::test_the_middle_is_what_passed_the_door_and_nothing_else",),
    ),
    Defect(
        "rows-not-shortened-to-the-reach",
        AREA,
        "What lies between the middle and a row is used as long as it is.",
        "Noise is made for the reach, and a row may be five times as far away.",
        edited(
            "rows.view",
            ("return found, clip_dense(found, view.reach)", "return found, clip_dense(found, 1e6 * view.reach)"),
        ),
        (
            f"{MIDDLE}::test_no_row_is_longer_than_the_reach_when_it_is_seen",
            f"{VIEW}::test_a_row_is_what_lies_between_the_middle_and_it_no_longer_than_the_reach",
        ),
    ),
    Defect(
        "walk-over-rows-as-they-are",
        AREA,
        "The middle is released, and the steps go over the rows as they entered.",
        "Their gradients are 2.5 times as long as the noise was made for.",
        edited(
            "gate.models.middle",
            ("return view, seen_from(records, view, facts.bounds.intercept)", "return view, records"),
        ),
        (f"{MIDDLE}::test_the_walk_has_no_other_rows_than_those_seen_from_what_was_released",),
    ),
    Defect(
        "each-part-from-its-own-middle",
        AREA,
        "Records in parts are seen from their own mean instead of the released one.",
        "Every record of a part moves all others of it, and no noise hides the mean.",
        edited(
            "inside.view",
            (
                "return self.of(in_view(part, self.view, self.constant))",
                "own = tuple(rows_of(part.design).mean(axis=0))\n"
                "        return self.of(in_view(part, View(self.view.reach, own), self.constant))",
            ),
        ),
        (f"{VIEW}::test_however_records_lie_their_sums_are_those_in_memory",),
    ),
    Defect(
        "middle-for-persons",
        AREA,
        "Rows of persons are seen from a middle whose sum leaves some of them out.",
        "The proof is about rows that are counted.",
        edited("gate.models.middle", (" and facts.person_rows is None", "")),
        (f"{MIDDLE}::test_it_is_offered_only_where_its_proof_and_its_figures_hold",),
    ),
    Defect(
        "middle-where-the-size-is-secret",
        AREA,
        "Under add-remove the mean row is a sum over a nominal size.",
        "Its sensitivity is stated for a public number of rows.",
        edited("gate.models.middle", ("counted = facts.adjacency is Adjacency.REPLACE_ONE and ", "counted = ")),
        (f"{MIDDLE}::test_it_is_offered_only_where_its_proof_and_its_figures_hold",),
    ),
    Defect(
        "predictions-from-zero",
        AREA,
        "A prediction does not pull rows in that the fit pulled in.",
        "What was learnt on rows near the middle is applied to rows far away.",
        edited(
            "rows.within", ("return table if self.view is None else self._in_reach(table, self.view)", "return table")
        ),
        (f"{VIEW}::test_predictions_pull_rows_in_as_the_fit_did",),
    ),
)
