"""Defects of records that count by the length of their rows, and of slopes that are shortened."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "evened records and shortened slopes"
EVENED = "gate/models/test_evened.py"
LINKS = "theory/test_links.py"
LOSSES = "theory/test_losses.py"

DEFECTS = (
    Defect(
        "evened-by-the-diameter-of-rows-as-they-are",
        AREA,
        "Evened gradients are said to differ by the diameter of mirrored rows.",
        "A short row pulls as hard as a long one at another score: too little noise for slopes that are not capped.",
        edited("theory.sensitivity", ("2 * loss.slope if facts.evened else loss.diameter", "loss.diameter")),
        (f"{EVENED}::test_mirrored_rows_say_nothing_where_records_are_evened",),
    ),
    Defect(
        "evened-without-a-margin",
        AREA,
        "The weight is the bound over the measured length, without what measuring can err.",
        "A record can pull a few units harder than the noise was made for.",
        edited("theory.evening", ("norm * (1 - clip_margin(columns)) / lengths", "norm * (1 + 1e-9) / lengths")),
        (f"{EVENED}::test_no_record_pulls_harder_than_the_longest_row",),
    ),
    Defect(
        "evened-by-the-square-of-the-length",
        AREA,
        "A record counts by the square of what its length leaves.",
        "Short rows pull harder than the longest may.",
        edited("theory.evening", ("columns)) / lengths)", "columns)) / lengths * (norm / lengths))")),
        (f"{EVENED}::test_no_exchange_of_a_record_moves_the_sum_by_more_than_is_stated",),
    ),
    Defect(
        "evened-at-the-least-weight",
        AREA,
        "The largest weight is a floor and no ceiling.",
        "Long rows count more than twice.",
        edited("theory.evening", ("return np.minimum(LARGEST", "return np.maximum(LARGEST")),
        (f"{EVENED}::test_no_exchange_of_a_record_moves_the_sum_by_more_than_is_stated",),
    ),
    Defect(
        "evened-by-lengths-before-shortening",
        AREA,
        "Borrowed rows are evened by lengths that were measured before rows were shortened.",
        "Rows beyond their bound count for less than others in memory: results depend on where records lie.",
        edited(
            "inside.design.shortened",
            (
                "return self._by_factor(self._inner.row_norms() if self.squares is None else np.sqrt(self.squares))",
                "return np.sqrt(self.squares) if self.squares is not None else self._inner.row_norms()",
            ),
        ),
        (f"{EVENED}::test_however_records_lie_they_count_the_same",),
    ),
    Defect(
        "evened-by-the-longest-of-the-part",
        AREA,
        "Weights are relative to the longest row of the part at hand.",
        "One record changes what all others of its part count.",
        edited(
            "inside.records",
            (
                "weights(self.design.row_norms(), norm,",
                "weights(self.design.row_norms(), float(self.design.row_norms().max(initial=0.1)),",
            ),
        ),
        (
            f"{EVENED}::test_what_a_record_counts_does_not_depend_on_the_others",
            f"{EVENED}::test_a_sum_over_evened_records_is_the_one_made_record_by_record",
        ),
    ),
    Defect(
        "shortened-slopes-left-long",
        AREA,
        "Slopes of several classes are not shortened, though noise is made for shortened ones.",
        "A record of a class that is thought unlikely pulls twice as hard as was paid for.",
        edited("theory.losses.clipped_softmax", ("np.minimum(1.0, self.longest /", "np.maximum(1.0, self.longest /")),
        (f"{LOSSES}::test_no_record_exceeds_the_facts", f"{LOSSES}::test_gradient_diameter_holds_and_is_attained"),
    ),
    Defect(
        "shortened-to-the-cap",
        AREA,
        "The largest shortened slope is stated as the cap, without √2.",
        "Noise is 1.4 times too small.",
        edited("theory.losses.clipped_softmax", ("min(up(math.sqrt(2) * self.cap)", "min(up(self.cap)")),
        (f"{LOSSES}::test_no_record_exceeds_the_facts",),
    ),
    Defect(
        "shortened-slopes-minimised",
        AREA,
        "Mechanisms that rest on a minimum take slopes that have none.",
        "Lemma A is about strongly convex functions; nothing bounds where a solver stops.",
        edited("gate.models.mechanism", ("and (loss.traits.potential or not self.potential)", "")),
        (f"{EVENED}::test_a_mechanism_that_needs_a_minimum_refuses_slopes_of_nothing",),
    ),
    Defect(
        "shortened-chances-of-the-capped-loss",
        AREA,
        "Probabilities of shortened slopes are made by the capped loss's formula.",
        "Predictions are off by a tenth; no promise is broken, but what is said is wrong.",
        edited("theory.losses.links", ("if link == Link.CLIPPED_SOFTMAX:", "if False:")),
        (f"{LINKS}::test_at_these_chances_shortened_slopes_cancel",),
    ),
)
