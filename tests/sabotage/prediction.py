"""Defects of private prediction by shards and walks: votes, coins, rounds."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "prediction"
VOTE = "gate/answers/test_vote.py"
CONSENSUS = "gate/answers/test_consensus.py"
AVERAGE = "gate/answers/test_average.py"
WALK = "gate/answers/test_walk.py"

DEFECTS = (
    Defect(
        "vote-weight-doubled",
        AREA,
        "A vote weighs exp(ε) instead of exp(ε/2).",
        "Every answer of the soft majority costs 2ε.",
        edited(
            "gate.answers.vote",
            (
                "door.vote(counts, Fraction(self.epsilon) / 2, ",
                "door.vote(counts, Fraction(self.epsilon), ",
            ),
        ),
        (f"{VOTE}::test_draws_follow_the_soft_law",),
    ),
    Defect(
        "vote-moves-one-count",
        AREA,
        "A changed vote is said to move the counts by 1 in L2 norm instead of √2.",
        "The noisy maximum has 1/√2 of its noise.",
        edited("gate.answers.vote", ("VOTE_MOVES = up(math.sqrt(2.0), FORMULA)", "VOTE_MOVES = up(1.0, FORMULA)")),
        (f"{VOTE}::test_the_noisy_maximum_of_neighbours_stays_within_epsilon_and_delta",),
    ),
    Defect(
        "batch-of-votes-booked-as-one",
        AREA,
        "A batch of soft votes is booked as one.",
        "All answers of a batch but one are free.",
        edited(
            "gate.answers.vote",
            (
                "return bounded_range_answers(self.epsilon, count)",
                "return bounded_range_answers(self.epsilon, 1)",
            ),
        ),
        ("gate/answers/test_vote.py::test_no_answer_without_an_open_entry_for_just_so_many",),
    ),
    Defect(
        "one-draw-for-a-batch",
        AREA,
        "All queries of a batch share the draw of their class.",
        "Answers to different queries cancel the noise of each other.",
        edited(
            "gate.noise.choice",
            (
                "columns = uniform_below(scores.shape[1], waiting.size, bits)",
                "columns = np.repeat(uniform_below(scores.shape[1], 1, bits), waiting.size)",
            ),
        ),
        (f"{VOTE}::test_every_query_of_a_batch_has_its_own_draw", f"{VOTE}::test_draws_follow_the_soft_law"),
    ),
    Defect(
        "gaussian-vote-steps-forgotten",
        AREA,
        "A batch of noisy maxima is booked as one.",
        "All answers of a batch but one are free.",
        edited(
            "theory.accounting.prices",
            (
                "return GaussianRelease(mu, count, numeric, slack.epsilon)",
                "return GaussianRelease(mu, 1, numeric, slack.epsilon)",
            ),
        ),
        (f"{VOTE}::test_many_gaussian_answers_compose_by_the_square_root",),
    ),
    Defect(
        "walk-step-doubled",
        AREA,
        "The walk goes two steps up for every 1.",
        "One record moves it by three, and an answer costs more than ε.",
        edited("inside.answers.walk", ("height = min(height + 1, reach)", "height = min(height + 2, reach)")),
        (
            f"{WALK}::test_no_replacement_in_any_small_table_passes_epsilon",
            f"{WALK}::test_the_walk_equals_the_slow_obvious_one",
        ),
    ),
    Defect(
        "walk-ties-by-row-number",
        AREA,
        "Rows with equal values are walked in the order of the table.",
        "Replacing a record can reorder others: they move the walk too.",
        edited("inside.answers.walk", ("order = np.lexsort((codes, own))", 'order = np.argsort(own, kind="stable")')),
        ("gate/answers/test_walk.py::test_unsorted_rows_and_negative_zero_make_the_same_walk",),
    ),
    Defect(
        "walk-coin-at-full-rate",
        AREA,
        "The walk's coin falls at ε·v instead of ε·v/2.",
        "Every answer costs 2ε.",
        edited(
            "gate.answers.walk",
            (
                "door.vote(beside_zero(stands), Fraction(self.epsilon) / (2 * self.rows), ",
                "door.vote(beside_zero(stands), Fraction(self.epsilon), ",
            ),
        ),
        (f"{WALK}::test_answers_follow_the_law",),
    ),
    Defect(
        "contested-answered-by-its-winner",
        AREA,
        "A contested query is answered by the class with most votes, without noise.",
        "One vote decides the answer and is not hidden.",
        edited(
            "gate.door",
            (
                "drawn = weighted_choice(votes[last : last + 1], rule.vote / 2, bits)",
                "drawn = np.argmax(votes[last : last + 1], axis=1)",
            ),
        ),
        (f"{CONSENSUS}::test_rounds_follow_the_exact_law",),
    ),
    Defect(
        "contested-not-paid",
        AREA,
        "A round goes on after its contested query.",
        "Every further contested query costs as much again and is not booked.",
        edited(
            "gate.answers.consensus",
            (
                "self.left = 0 if told.contested else self.left - len(told.labels)",
                "self.left = self.left - len(told.labels)",
            ),
        ),
        (f"{CONSENSUS}::test_a_round_ends_with_its_number_or_its_contested_query_and_pays_no_second_time",),
    ),
    Defect(
        "line-without-noise",
        AREA,
        "The line that settles a query has no noise.",
        "Each settled query tells about the votes, and they add up.",
        edited(
            "gate.door",
            ("Private(rule.line + int(discrete_laplace(rule.line_scale, 1, bits)[0]))", "Private(rule.line)"),
        ),
        (f"{CONSENSUS}::test_rounds_follow_the_exact_law",),
    ),
    Defect(
        "query-noise-of-the-line",
        AREA,
        "Noise on distances is set for one query that moves by one, not for a line and queries that move apart.",
        "A round costs more than its ε.",
        edited(
            "theory.prediction.shards",
            (
                "query_scale = math.ceil(2 * unit / (whole_epsilon / 2))",
                "query_scale = math.ceil(unit / (whole_epsilon / 2))",
            ),
        ),
        (
            f"{CONSENSUS}::test_all_rounds_of_all_neighbours_keep_epsilon_and_delta",
            f"{CONSENSUS}::test_long_rounds_come_near_epsilon_and_one_without_line_noise_passes_it",
        ),
    ),
    Defect(
        "line-too-low-for-delta",
        AREA,
        "The line is set for a thousand times the δ that was asked for.",
        "Queries without a lead pass for settled more often than δ says.",
        edited(
            "theory.prediction.shards",
            (
                "line_scale, query_scale, queries) <= delta)",
                "line_scale, query_scale, queries) <= min(0.5, 1000 * delta))",
            ),
        ),
        (f"{CONSENSUS}::test_the_line_holds_delta_and_is_not_much_higher_than_it_must_be",),
    ),
    Defect(
        "distance-is-the-whole-lead",
        AREA,
        "The distance to another winner is taken to be the whole lead.",
        "One vote moves it by two.",
        edited("gate.door", ("np.maximum(0, (lead - 1) // 2)", "np.maximum(0, lead - 1)")),
        (f"{CONSENSUS}::test_distances_move_by_at_most_one_and_a_distance_keeps_the_winner",),
    ),
    Defect(
        "mean-divided-before-the-noise",
        AREA,
        "Noise is set for the mean and added to the sum.",
        "With k shards there is 1/k of the noise.",
        edited(
            "gate.answers.average",
            (
                "return laws.pure(laws.spanning(1.0, self.epsilon, self.voters)",
                "return laws.pure(laws.spanning(1.0 / self.voters, self.epsilon, self.voters)",
            ),
        ),
        (
            f"{AVERAGE}::test_laplace_means_of_all_neighbours_come_near_epsilon_and_not_past_it",
            f"{AVERAGE}::test_noisy_means_follow_their_law_and_a_wrong_range_is_noticed",
        ),
    ),
    Defect(
        "coin-without-a-floor",
        AREA,
        "The coin's probability may be 0 or 1.",
        "One record can turn the impossible into the possible.",
        edited(
            "gate.answers.average",
            ("return min(max(mean, self.floor), 1 - self.floor)", "return mean"),
            (
                "[min(max((n << shift) // voters, low), high) for n in totals.tolist()]",
                "[min((n << shift) // voters, 2**64 - 1) for n in totals.tolist()]",
            ),
        ),
        (f"{AVERAGE}::test_coins_follow_the_law",),
    ),
    Defect(
        "coin-floor-halved",
        AREA,
        "The coin is kept half as far from 0 and 1 as it must be.",
        "Near the ends its odds change by more than e^ε.",
        edited(
            "theory.prediction.shards",
            ("times = up(1.0, LONG_SUM) / math.expm1", "times = up(0.5, LONG_SUM) / math.expm1"),
        ),
        (f"{AVERAGE}::test_coins_of_all_neighbours_come_near_epsilon_and_not_past_it",),
    ),
    Defect(
        "predictions-not-clipped",
        AREA,
        "Predictions of shards are averaged without being clipped to the public range.",
        "One shard's wild prediction moves the mean without limit.",
        edited(
            "inside.answers.shards",
            (
                "share = (np.clip(said, low, high) - low) / (high - low)",
                "share = (said - low) / (high - low)",
            ),
            ("np.rint(np.clip(share, 0.0, 1.0) * 2.0**MEAN_BITS)", "np.rint(share * 2.0**MEAN_BITS)"),
        ),
        ("inside/answers/test_shards.py::test_sums_are_exact_and_one_voter_moves_them_by_no_more_than_the_range",),
    ),
    Defect(
        "shards-share-rows",
        AREA,
        "Each shard also holds the first row of the next.",
        "A record in two shards decides two votes.",
        edited(
            "gate.answers.deal",
            (
                "    parts = tuple(np.sort(part) for part in np.split(order, np.cumsum(sizes)[:-1]))",
                "    ends = np.cumsum(sizes)\n"
                "    parts = tuple(np.sort(order[end - size : end + 1]) for size, end in zip(sizes, ends, "
                "strict=True))",
            ),
        ),
        ("inside/answers/test_shards.py::test_dealing_depends_on_sizes_and_bits_alone_and_gives_each_row_once",),
    ),
    Defect(
        "failing-shard-raises",
        AREA,
        "A shard whose model cannot be fitted raises its error.",
        "The error, and that there is one, tells about the rows of that shard.",
        edited(
            "inside.strangers.alone",
            ("        except BaseException:  # noqa: BLE001", "        except ZeroDivisionError:  # noqa: BLE001"),
        ),
        ("inside/answers/test_shards.py::test_a_shard_of_one_class_votes_for_it_and_one_that_fails_for_the_constant",),
    ),
)
