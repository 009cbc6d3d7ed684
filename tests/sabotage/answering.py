"""Defects of linear answers and of the protocol that charges for every answer."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "answering"
ANSWERS = "gate/answers/test_linear_answers.py"

DEFECTS = (
    Defect(
        "answer-noise-not-scaled-by-the-query",
        AREA,
        "The noise of an answer is the same for every query, however long.",
        "Long queries are answered with too little noise.",
        edited(
            "gate.answers.linear_answers",
            (
                "noisy = add_noise(units, noise",
                "noisy = add_noise(units.map(lambda unit: unit * towards.norms), noise",
            ),
            ("        noisy *= towards.norms\n", ""),
        ),
        ("gate/answers/test_linear_answers.py::test_drawn_noise_follows_the_planned_law",),
    ),
    Defect(
        "queries-measured-and-multiplied-apart",
        AREA,
        "A query is measured and multiplied in the caller's memory, one after the other.",
        "Lengthened in between, its answer moves by more than the noise is for.",
        edited(
            "inside.answers.linear_answers",
            ("            part = copy[: len(read)]\n            part[:] = read\n", "            part = read\n"),
        ),
        (f"{ANSWERS}::test_a_row_edited_meanwhile_is_measured_and_multiplied_as_one",),
    ),
    Defect(
        "long-queries-not-shortened",
        AREA,
        "A query longer than the row norm is answered in its own length.",
        "Its direction is longer than one beside the constant: its answer moves by more than the noise is for.",
        edited(
            "inside.answers.linear_answers",
            ("longer = np.maximum(lengths, bounds.row_norm)", "longer = np.full(len(lengths), bounds.row_norm)"),
        ),
        (f"{ANSWERS}::test_directions_have_length_one_whatever_the_size_of_a_query",),
    ),
    Defect(
        "one-pass-stability-as-printed",
        AREA,
        "The stability of one pass is the printed constant: half of what one record can do.",
        "Answers of the one-pass predictor cost 2ε.",
        edited(
            "theory.prediction.linear_answers",
            (
                "exact = up(change * step_size * ((facts.n - 1) / facts.n))",
                "exact = up(change / 2 * step_size * ((facts.n - 1) / facts.n))",
            ),
        ),
        ("theory/prediction/test_linear_answers.py::test_the_first_record_reaches_the_stability_of_one_pass",),
    ),
    Defect(
        "steps-too-long",
        AREA,
        "Steps up to four over the curvature are allowed.",
        "Steps that drive points apart have no stated stability.",
        edited(
            "theory.prediction.linear_answers",
            (
                "return down(2 / (curvature * facts.bounds.norm**2)",
                "return down(4 / (curvature * facts.bounds.norm**2)",
            ),
        ),
        (
            "theory/prediction/test_linear_answers.py::test_steps_beyond_two_over_the_curvature_can_drive_points_apart_and_are_refused",
        ),
    ),
    Defect(
        "answer-radius-not-paid",
        AREA,
        "The solver's distance from the minimiser is left out of the stability of answers.",
        "Answers move further than their noise hides.",
        edited(
            "theory.prediction.linear_answers",
            ("return Stability(up(moved.l2 + 2 * radius),", "return Stability(up(moved.l2),"),
        ),
        ("theory/prediction/test_linear_answers.py::test_an_approximate_minimiser_costs_twice_its_radius",),
    ),
    Defect(
        "answers-share-noise",
        AREA,
        "All answers of a batch have the same noise.",
        "The difference of two answers is exact.",
        edited(
            "gate.door",
            (
                "    return grid.restore(steps + grid",
                "    steps[:] = steps[0]\n    return grid.restore(steps + grid",
            ),
        ),
        (
            f"{ANSWERS}::test_drawn_noise_follows_the_planned_law",
            f"{ANSWERS}::test_noise_reused_across_queries_is_caught",
        ),
    ),
    Defect(
        "answer-event-of-one",
        AREA,
        "A batch of Gaussian answers is booked as one.",
        "All answers of a batch but one are free.",
        edited(
            "gate.answers.linear_answers",
            (
                "return gaussian_answers(self.budget.epsilon, self.budget.delta, 1, count)",
                "return gaussian_answers(self.budget.epsilon, self.budget.delta, 1, 1)",
            ),
        ),
        (f"{ANSWERS}::test_many_gaussian_answers_compose_as_claimed",),
    ),
    Defect(
        "answers-not-charged",
        AREA,
        "Answers are booked on a ledger that is thrown away.",
        "Any number of queries is answered whatever the limit.",
        edited(
            "estimators.answer.protocol",
            ("entry = state.ledger.reserve(event, label=", "entry = Ledger(delta=self.delta).reserve(event, label="),
        ),
        (
            "estimators/answer/test_answering_protocol.py::test_distinct_new_queries_are_paid_once_and_repeated_ones_are_free",
        ),
    ),
    Defect(
        "repeated-query-answered-afresh-for-free",
        AREA,
        "A query asked again is answered with fresh noise and not charged.",
        "Asking often and averaging removes the noise for the price of one answer.",
        edited(
            "estimators.answer.protocol",
            (
                "        return looked.filled(fresh)\n",
                "        again = state.answerer.event(len(rows))\n"
                "        with Ledger(delta=self.delta).reserve(again) as free:\n"
                "            return state.answerer.answer(np.asarray(rows, dtype=float), free, state.bits)\n",
            ),
        ),
        (
            "estimators/answer/test_answering_protocol.py::test_distinct_new_queries_are_paid_once_and_repeated_ones_are_free",
        ),
    ),
    Defect(
        "shards-take-for-granted-a-row-each",
        AREA,
        "A shard is asked for the class of its first row, whether it has one or not.",
        "One id that is missing leaves a shard without rows: for nothing, the fit says so by failing.",
        edited(
            "inside.answers.shards",
            ("    if not len(targets):  #", "    if not labels and not len(targets):  #"),
        ),
        ("estimators/answer/test_rows_without_an_id.py::test_whoever_lost_their_id_does_not_show",),
    ),
    Defect(
        "warning-counts-the-rows-with-an-id",
        AREA,
        "The warning of a large δ counts the rows that are learnt from.",
        "It is heard before anything is paid, and says how many rows have an id.",
        edited(
            "estimators.answer.protocol", ("self.delta, given, bits.seeded", "self.delta, rows.shape[0], bits.seeded")
        ),
        ("estimators/answer/test_rows_without_an_id.py::test_whoever_lost_their_id_does_not_show",),
    ),
    Defect(
        "predictor-answers-in-a-fork",
        AREA,
        "A fitted predictor answers in a forked child.",
        "The child forgets what the parent answers: the same query gets two draws for one payment.",
        edited("estimators.answer.protocol", ("        if self._state.process != os.getpid():", "        if False:")),
        ("estimators/answer/test_answering_protocol.py::test_a_forked_child_is_refused",),
    ),
)
