"""Defects of a usual range of labels, chosen first, and of what limits a usual length."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "usual labels"
TESTS = "gate/models/test_usual_labels.py"
LENGTHS = "gate/models/test_usual_length.py"
FITS = "gate/models/test_usual_length_fits.py"

DEFECTS = (
    Defect(
        "usual-labels-moved-by-half",
        AREA,
        "A replaced label is said to move a score by half a rank.",
        "The choice is twice as telling as was paid for.",
        edited("theory.usual_labels", ("MOVED = 1.0", "MOVED = 0.5")),
        (f"{TESTS}::test_a_replaced_label_moves_no_score_by_more_than_one",),
    ),
    Defect(
        "usual-labels-counted-twice",
        AREA,
        "A label outside a range counts one, and one inside q as well as what is missing of one.",
        "A replaced label moves a score by up to two ranks.",
        edited("inside.usual_labels", ("choice.beyond * inside -", "inside -")),
        (f"{TESTS}::test_a_replaced_label_moves_no_score_by_more_than_one",),
    ),
    Defect(
        "usual-labels-not-charged",
        AREA,
        "The event of what the choice leaves is debited, without the choice.",
        "The choice is made and nothing was paid for it.",
        edited(
            "gate.models.first",
            ("usual_length.together(usual_length.choosing(plan), plan.event, budget)", "plan.event"),
        ),
        (f"{TESTS}::test_a_fit_spends_its_epsilon_and_no_more",),
    ),
    Defect(
        "usual-labels-not-clipped",
        AREA,
        "Labels beyond the usual range are brought in its units and left where they are.",
        "A label far outside pulls as many times harder: noise is made for labels within one.",
        edited(
            "inside.labels",
            (
                "return np.clip((numbers - bounds.label_centre) / bounds.label_scale, -1.0, 1.0)",
                "return (numbers - bounds.label_centre) / bounds.label_scale",
            ),
        ),
        (f"{TESTS}::test_labels_are_within_one_wherever_they_were",),
    ),
    Defect(
        "usual-labels-beside-a-ball",
        AREA,
        "A range is chosen although the caller gave a ball.",
        "The ball is in units of the bounds: what the card says of it is about other numbers.",
        edited("gate.models.usual_labels", ("free = math.isinf(bounds.coef_norm) and", "free =")),
        (f"{TESTS}::test_labels_keep_their_bounds_where_somebody_said_more",),
    ),
    Defect(
        "rough-ranges-hardly-widened",
        AREA,
        "A range that up to half of the labels may lie outside is widened by no more than one that a twentieth may.",
        "Skewed labels are cut in their tail where n times epsilon is a few hundred.",
        edited("theory.usual_labels", ("return WIDENED + FURTHER * max(0.0, self.beyond - MOST_BEYOND)", "return 0.2")),
        (f"{TESTS}::test_ranges_that_are_found_roughly_hold_nearly_all_labels",),
    ),
    Defect(
        "usual-labels-of-persons",
        AREA,
        "A range is chosen for persons as for rows.",
        "All rows of a person move a score, and the choice is paid for one.",
        edited("gate.models.usual_labels", ("and facts.person_rows is None", "")),
        (f"{TESTS}::test_labels_keep_their_bounds_where_somebody_said_more",),
    ),
    Defect(
        "usual-labels-with-any-threshold",
        AREA,
        "A range is chosen beside a threshold that the caller gave in units of the labels.",
        "Residuals are clipped elsewhere than the card says.",
        edited("gate.models.usual_labels", (" and not loss_is_given", "")),
        (f"{TESTS}::test_a_threshold_that_somebody_gave_keeps_its_units",),
    ),
    Defect(
        "nought-as-any-label",
        AREA,
        "Labels at nought count as any others do.",
        "Where nearly all labels are nought the range is that of nought, and all others are lost.",
        edited("inside.usual_labels", ("piled |= labels == self.nought", "pass")),
        (f"{TESTS}::test_labels_that_pile_up_at_nought_make_no_range_narrow",),
    ),
    Defect(
        "labels-at-a-bound-by-the-last-digit",
        AREA,
        "A label piles up at a bound only where rounding has left it there exactly.",
        "Of bounds that are no short binary numbers a pile at the end is taken for where all labels lie.",
        edited("inside.usual_labels", ("AT_END = 1 - 2.0**-40", "AT_END = 1.0")),
        (f"{TESTS}::test_a_label_at_a_bound_piles_up_whatever_rounding_makes_of_it",),
    ),
    Defect(
        "a-pure-fit-for-the-sake-of-a-choice",
        AREA,
        "Where the accountant has no room for a choice beside Gaussian noise, noise is pure.",
        "An additive model becomes a constant, with more ε.",
        edited(
            "gate.models.usual_length",
            ("return plan if plan.budget.delta == budget.delta else None", "return plan"),
        ),
        (f"{FITS}::test_choices_are_made_only_where_the_accountant_has_room_for_them",),
    ),
    Defect(
        "choices-on-top-believed",
        AREA,
        "A stored file's noise is held against all of ε, whatever its choices cost.",
        "A file can claim less than its fit and its choices spent together.",
        edited("audit.subjects.stored", (" and beside_choices(guarantee, shift, pure)", "")),
        ("audit/subjects/test_chosen_first.py::test_a_file_that_adds_choices_to_a_whole_fit_is_found_out",),
    ),
    Defect(
        "stored-range-believed",
        AREA,
        "What a file says of its usual range of labels is taken as it is.",
        "A file can name a range that no choice could have given.",
        edited("audit.subjects.chosen_first", ("not narrowed or _is_public(known)", "bool(needed)")),
        ("audit/subjects/test_every_field.py::test_no_field_of_a_guarantee_changes_unnoticed",),
    ),
    Defect(
        "lengths-of-a-few-rows",
        AREA,
        "A length is chosen however few rows are not zero.",
        "So few tell nothing: any length may come out, and noise in scores is up to 128 times what was planned.",
        edited(
            "inside.lengths",
            ("scores[:-1] = np.minimum(scores[:-1], counts[-1] - rows / 2)", "scores = scores + 0 * rows"),
        ),
        (f"{LENGTHS}::test_rows_of_zeros_say_nothing_of_a_length_and_where_most_are_the_bound_is_kept",),
    ),
    Defect(
        "lengths-without-a-limit",
        AREA,
        "Lengths are offered however much longer the rows beyond may be.",
        "The few long rows, which carry what there is to learn, get as many times the noise.",
        edited("theory.usual_length", ("least=math.sqrt(beyond / RISK)", "least=0.0")),
        (f"{FITS}::test_a_table_of_nearly_empty_rows_loses_nothing_by_the_choice",),
    ),
    Defect(
        "first-rows-measured-for-all",
        AREA,
        "Of many rows the first are measured.",
        "A table that is sorted is measured where it is unlike the rest.",
        edited("theory.usual_length", ("(n - TOGETHER) * k // (count - 1)", "TOGETHER * k")),
        (f"{LENGTHS}::test_what_is_measured_of_many_rows_is_like_the_rest",),
    ),
    Defect(
        "one-candidate-by-name",
        AREA,
        'A search of one candidate debits the plan of "auto" and fits its mechanism by name.',
        "That has another plan, and another event: the account says less than was spent.",
        edited(
            "estimators.search.stability_search",
            (
                "chosen = _prepared_alone(taken.estimator, taken.settings[0], row, names, taken.bits)",
                "chosen = _fit_at(taken, taken.settings[0], plan, names)",
            ),
        ),
        ("estimators/search/test_what_inner_fits_spend.py::test_one_candidate_spends_the_event_that_was_debited",),
    ),
    Defect(
        "choices-within-searches",
        AREA,
        "Fits within a search make choices of their own first.",
        "They are no Gaussian releases then, and joint accounting gives each of them a third less.",
        edited("estimators.search.candidates", ("inner._alone = False", "inner._alone = True")),
        ("estimators/search/test_what_inner_fits_spend.py::test_inner_fits_cost_no_more_than_the_search",),
    ),
)
