"""Defects of the charged comparison of answers with a release."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "measuring"
MEASURE = "gate/answers/test_measure.py"
ADVICE = "estimators/answer/test_measured_advice.py"

DEFECTS = (
    Defect(
        "the-pilot-reads-the-rows-again",
        AREA,
        "The pilot model is fitted to the caller's rows as they are after the debit.",
        "What has been edited since they were checked is learnt, or is an error that nobody paid for.",
        edited(
            "estimators.answer.measured", ("        pilot.fit(table, labels,", "        pilot.fit(train[0], labels,")
        ),
        ("estimators/test_containers_are_read_once.py::test_nobody_is_asked_a_second_time",),
    ),
    Defect(
        "expected-loss-blind-to-training-records",
        AREA,
        "The mean expected loss is said to move by a held-out record alone.",
        "What a training record does to every chance is not covered by the noise.",
        edited("theory.prediction.advice", ("return up(moved + 1 / whole", "return up(1 / whole")),
        (f"{ADVICE}::test_no_replacement_in_small_parts_moves_the_mean_further_than_stated",),
    ),
    Defect(
        "expected-loss-of-pure-answers-halved",
        AREA,
        "Pure answers are said to move a chance by what answers of bounded range do.",
        "Figures for Laplace answers and coins carry half the noise they need.",
        edited("theory.prediction.advice", ("_up(math.tanh(event.epsilon / 2))", "_up(math.tanh(event.epsilon / 4))")),
        ("theory/prediction/test_advice.py::test_a_randomised_response_reaches_the_bound_of_pure_privacy",),
    ),
    Defect(
        "measured-figure-with-half-the-noise",
        AREA,
        "The noise of the answers' figure is that of twice its ε.",
        "The figure costs twice what is debited for it.",
        edited(
            "gate.answers.measure",
            (
                "self.records), self.answers, 1.0), 1, self.answers).noise",
                "self.records), self.answers, 1.0), 1, 2 * self.answers).noise",
            ),
        ),
        (f"{MEASURE}::test_figures_leave_with_noise_for_all_that_one_record_of_each_part_can_do",),
    ),
    Defect(
        "pilot-not-charged",
        AREA,
        "The debit holds the two figures and not the pilot's fit.",
        "A private model is released for nothing.",
        edited(
            "theory.accounting.prices",
            (
                "Composed((fit, *(pure_release(epsilon) for epsilon in figures)))",
                "Composed(tuple(pure_release(epsilon) for epsilon in figures))",
            ),
        ),
        (f"{MEASURE}::test_the_event_holds_the_fit_and_both_figures",),
    ),
    Defect(
        "held-out-rows-asked-together",
        AREA,
        "A shard's model that refuses one held-out row answers none of them.",
        "One record with a huge value moves the figure by far more than 1/m.",
        edited(
            "inside.strangers.asking",
            ("if isinstance(said, Failed) and stop - start > 1:", "if isinstance(said, Failed) and stop < start:"),
        ),
        (f"{MEASURE}::test_a_row_that_a_model_refuses_spoils_no_other_rows_answer",),
    ),
    Defect(
        "measured-before-it-is-paid",
        AREA,
        "The copy learns and the held-out rows are looked at before the ledger is asked.",
        "Errors about values are told although nothing was paid.",
        edited(
            "estimators.answer.measured",
            (
                "    with state.ledger.reserve(plan.event, label=",
                "    copy._learn(rows, labels, bits)\n    with state.ledger.reserve(plan.event, label=",
            ),
        ),
        (f"{ADVICE}::test_nothing_is_computed_without_the_budget",),
    ),
)
