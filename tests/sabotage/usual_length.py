"""Defects of a usual length of rows, chosen first."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "a usual length"
TESTS = "gate/models/test_usual_length.py"
FITS = "gate/models/test_usual_length_fits.py"

DEFECTS = (
    Defect(
        "long-rows-bend-more",
        AREA,
        "A row beyond the usual length counts by its length, not by the square of it.",
        "It bends the objective more than the tilt's noise and the solver's radius were made for.",
        edited("theory.evening", ("np.where(part < 1, part * part, part)", "part")),
        (f"{TESTS}::test_neither_count_times_length_nor_count_times_its_square_passes_the_bound",),
    ),
    Defect(
        "long-rows-count-once",
        AREA,
        "A row beyond the usual length counts once.",
        "It pulls as much harder as it is longer: noise is made for the usual length.",
        edited("theory.evening", ("np.where(part < 1, part * part, part)", "np.maximum(part, 1.0)")),
        (f"{TESTS}::test_no_exchange_of_a_record_moves_a_gradient_by_more_than_is_stated",),
    ),
    Defect(
        "usual-length-where-rows-count-once",
        AREA,
        "Facts of rows beyond their bound ask for no weights.",
        "The same, where records are not evened.",
        edited("theory.plan", ("by_length = self.evened or self.longer > 1", "by_length = self.evened")),
        (f"{TESTS}::test_no_exchange_of_a_record_moves_a_gradient_by_more_than_is_stated",),
    ),
    Defect(
        "usual-length-moved-by-half",
        AREA,
        "A replaced row is said to move a score by half a rank.",
        "The choice is twice as telling as was paid for.",
        edited("theory.usual_length", ("MOVED = 1.0", "MOVED = 0.5")),
        (f"{TESTS}::test_a_replaced_row_moves_no_score_by_more_than_one",),
    ),
    Defect(
        "choices-not-taken-off",
        AREA,
        "The fit is planned with all of ε, choices come on top.",
        "Up to an eighth of ε is spent that nobody promised.",
        edited(
            "gate.models.usual_length",
            ("plan = plan_within(at_price, budget, choosing)", "plan = at_price(budget)"),
        ),
        (f"{FITS}::test_whatever_length_is_chosen_the_event_is_the_one_that_was_paid_for",),
    ),
    Defect(
        "one-choice-taken-off-of-two",
        AREA,
        "What the fit gets leaves room for one of two choices.",
        "The other is spent on top.",
        edited(
            "gate.models.usual_length",
            ("added(before, length.epsilon), loss_is_given", "length.epsilon, loss_is_given"),
        ),
        (f"{FITS}::test_whatever_length_is_chosen_the_event_is_the_one_that_was_paid_for",),
    ),
    Defect(
        "usual-length-not-charged-beside-steps",
        AREA,
        "Where the fit has a curve, its event alone is debited.",
        "The choice is made and nothing was paid for it.",
        edited("gate.models.usual_length", ("return choice_then_fit(pure_release(choice), fit)", "return fit")),
        (f"{FITS}::test_whatever_length_is_chosen_the_event_is_the_one_that_was_paid_for",),
    ),
    Defect(
        "usual-length-with-the-wide-constant",
        AREA,
        "Rows keep the constant column of the wide bound.",
        "The mean residual that sets the intercept moves as many times further as the bound is too wide.",
        edited(
            "gate.models.usual_length",
            (
                "return ending_with(records, settled.facts.bounds.intercept), settled, found",
                "return records, settled, found",
            ),
        ),
        (f"{FITS}::test_the_constant_column_is_the_one_that_noise_is_made_for",),
    ),
    Defect(
        "mean-residual-of-usual-rows",
        AREA,
        "A residual is bounded by the scores of rows of the usual length.",
        "A longer row leaves more over, up to the clip: too little noise on the intercept.",
        edited("theory.sensitivity", ("norm *= facts.longer", "norm *= 1.0")),
        (f"{TESTS}::test_a_mean_residual_moves_by_no_more_than_is_stated",),
    ),
    Defect(
        "usual-length-beside-a-ball",
        AREA,
        "A length is chosen although the caller gave a ball.",
        "The ball is in units of the bound: what the card says of it is about other numbers.",
        edited("gate.models.usual_length", ("free = math.isinf(bounds.coef_norm) and", "free =")),
        (f"{FITS}::test_rows_are_taken_as_long_as_their_bound_where_somebody_said_more",),
    ),
    Defect(
        "usual-length-of-persons",
        AREA,
        "A length is chosen for persons as for rows.",
        "All rows of a person move a score, and the choice is paid for one.",
        edited("gate.models.usual_length", ("and facts.person_rows is None", "")),
        (f"{FITS}::test_rows_are_taken_as_long_as_their_bound_where_somebody_said_more",),
    ),
    Defect(
        "stored-length-believed",
        AREA,
        "What a file says of its usual length is not held against public facts.",
        "A file can say that the choice was cheaper than it was, and noise that is too small looks right.",
        edited("audit.subjects.chosen_first", ("listed and all(", "bool(stated) or all(")),
        ("audit/subjects/test_stored.py::test_a_usual_length_in_a_file_is_held_against_public_facts",),
    ),
)
