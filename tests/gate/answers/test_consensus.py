"""Consensus rounds: exact laws of whole transcripts on all neighbours, draws that follow them, twins caught."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from equipoise.errors import LedgerFailure, MechanismRefused
from equipoise.gate import bits_from
from equipoise.gate.answers.consensus import ConsensusVote, Round
from equipoise.gate.door import distances
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.ledger import Entry, Ledger
from equipoise.theory.events import ApproximateRelease, BoundedRangeRelease
from equipoise.theory.prediction.shards import Consensus, consensus, consensus_voters, passing

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected, for each statistical test here.  All are seeded, so none flickers."""

Array = npt.NDArray[np.float64]
Transcript = tuple[tuple[int, ...], int]
"""Answers, and 1 if the last was contested."""

EPSILON, DELTA, VOTERS = 2.0, 0.05, 7
RULE = consensus(EPSILON, DELTA, 3, unit=2)


def tail(height: Array, scale: int) -> Array:
    """Pr(ν ≥ height) of the discrete Laplace law."""
    p = math.exp(-1 / scale)
    low = 1 - np.exp(-(1 - np.minimum(height, 0)) / scale) / (1 + p)
    return np.where(height >= 1, np.exp(-np.maximum(height, 0) / scale) / (1 + p), low)


@cache
def line_noise(scale: int) -> tuple[Array, Array]:
    """The line's noise and its law, as far as doubles go; scale 0 is the twin that forgets it."""
    if scale == 0:
        return np.zeros(1), np.ones(1)
    reach = np.arange(-45 * scale, 45 * scale + 1, dtype=float)
    q = math.exp(-1 / scale)
    return reach, q ** np.abs(reach) * (1 - q) / (1 + q)


@cache
def pattern(rule: Consensus, line_scale: int, settled: tuple[int, ...], contested: tuple[int, ...]) -> float:
    """Chance that queries at these distances pass for settled and contested."""
    noise, law = line_noise(line_scale)
    for distance in settled:
        law = law * tail(rule.line + noise - rule.unit * distance, rule.query_scale)
    for distance in contested:
        law = law * (1 - tail(rule.line + noise - rule.unit * distance, rule.query_scale))
    return float(law.sum())


def distance(ones: int, voters: int = VOTERS) -> int:
    return max(0, (abs(2 * ones - voters) - 1) // 2)


def winner(ones: int) -> int:
    return int(2 * ones > VOTERS)


def round_law(queries: tuple[int, ...], line_scale: int = RULE.line_scale) -> dict[Transcript, float]:
    """Of a round on elections in which so many of VOTERS name class 1."""
    law: dict[Transcript, float] = {}
    away = tuple(distance(ones) for ones in queries)
    names = tuple(winner(ones) for ones in queries)
    for last, ones in enumerate(queries):
        reached = pattern(RULE, line_scale, away[:last], away[last : last + 1])
        chance = 1 / (1 + math.exp(-float(RULE.vote) * (2 * ones - VOTERS) / 2))
        law[(*names[:last], 0), 1] = reached * (1 - chance)
        law[(*names[:last], 1), 1] = reached * chance
    law[names, 0] = pattern(RULE, line_scale, away, ())
    return law


def sound(queries: tuple[int, ...], transcript: Transcript) -> bool:
    """Whether everything it settles is at a distance from another winner."""
    answers, contested = transcript
    return all(distance(ones) >= 1 for ones in queries[: len(answers) - contested])


def neighbours(queries: tuple[int, ...]) -> itertools.product[tuple[int, ...]]:
    """One voter may change its mind about each query."""
    return itertools.product(*([c for c in (ones - 1, ones, ones + 1) if 0 <= c <= VOTERS] for ones in queries))


def worst(length: int) -> tuple[float, float]:
    """Over all elections and neighbours: the largest sound log-ratio, and the largest δ needed beside ε."""
    ratio, leak = 0.0, 0.0
    laws = {queries: round_law(queries) for queries in itertools.product(range(VOTERS + 1), repeat=length)}
    for queries, law in laws.items():
        for others in neighbours(queries):
            other = laws[others]
            over = 0.0
            for transcript, chance in law.items():
                if sound(queries, transcript):
                    ratio = max(ratio, math.log(chance / other[transcript]))
                over += max(0.0, chance - math.exp(EPSILON) * other.get(transcript, 0.0))
            leak = max(leak, over)
    return ratio, leak


@pytest.mark.parametrize("length", [1, 2, 3])
def test_all_rounds_of_all_neighbours_keep_epsilon_and_delta(length: int) -> None:
    assert sum(round_law((5, 2, 7)[:length]).values()) == pytest.approx(1.0, abs=1e-12)
    ratio, leak = worst(length)
    assert ratio <= EPSILON
    assert leak <= DELTA
    assert ratio >= (0.2, 0.5, 0.8)[length - 1] * EPSILON  # longer rounds below come nearer
    assert leak > 0, "a tie that passes for settled is what δ is for"


def long_ratio(line_scale: int, settled: int) -> float:
    """A long round whose distances all shrink but that of the contested query, which grows; its vote goes against
    the lead."""
    here = pattern(RULE, line_scale, (3,) * settled, (10,)) * minority_vote(10)
    there = pattern(RULE, line_scale, (2,) * settled, (11,)) * minority_vote(11)
    return math.log(here / there)


def minority_vote(distance: int) -> float:
    """Chance that a contested query at this distance is answered against its lead."""
    return 1 / (1 + math.exp(float(RULE.vote) * (2 * distance + 1) / 2))


def test_long_rounds_come_near_epsilon_and_one_without_line_noise_passes_it() -> None:
    assert 0.99 * EPSILON <= max(long_ratio(RULE.line_scale, k) for k in range(1, 40)) <= EPSILON
    assert max(long_ratio(0, k) for k in range(1, 40)) > 2 * EPSILON


def test_a_round_that_goes_on_after_contested_queries_passes_epsilon() -> None:
    """The twin in which a contested query is not paid for."""
    honest = math.log(pattern(RULE, RULE.line_scale, (), (1,)) / pattern(RULE, RULE.line_scale, (), (2,)))
    assert honest <= EPSILON
    many = [
        math.log(
            pattern(RULE, RULE.line_scale, (3,) * k, (1,) * k) / pattern(RULE, RULE.line_scale, (2,) * k, (2,) * k)
        )
        for k in range(1, 12)
    ]
    assert max(many) > 2 * EPSILON


def test_a_contested_query_answered_by_its_winner_is_a_distinguishing_event() -> None:
    """The twin without the vote: an answer that one table gives in a fifth of all rounds and its neighbour never."""
    assert winner(3) != winner(4)
    assert pattern(RULE, RULE.line_scale, (), (distance(4),)) > DELTA


def transcripts(queries: tuple[int, ...], times: int) -> Counter[Transcript]:
    mechanism, bits = ConsensusVote(EPSILON, DELTA, RULE), bits_from(9)
    votes = np.array([[VOTERS - ones, ones] for ones in queries])
    seen: Counter[Transcript] = Counter()
    ledger = Ledger()
    for _ in range(times):
        with ledger.reserve(mechanism.event) as entry:
            answered = mechanism.open_round(entry, bits).answer(Private(votes), bits)
        seen[tuple(answered.labels.tolist()), int(answered.contested)] += 1
    return seen


def fits(queries: tuple[int, ...], times: int) -> bool:
    law, seen = round_law(queries), transcripts(queries, times)
    assert set(seen) <= set(law)
    return bool(stats.chisquare([seen[o] for o in law], [law[o] * times for o in law]).pvalue > FALSE_ALARM)


def test_rounds_follow_the_exact_law() -> None:
    assert fits((7, 6, 1), 3000)


def test_a_forgotten_line_noise_in_the_running_code_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def twin(self: ConsensusVote, entry: Entry, bits: Bits) -> Round:
        return Round(self, Private(self.rule.line), entry)

    monkeypatch.setattr(ConsensusVote, "open_round", twin)
    assert not fits((7, 7, 0), 3000)


def test_distances_move_by_at_most_one_and_a_distance_keeps_the_winner() -> None:
    """All votes of six among three classes, and every change of one mind."""
    for counts in itertools.product(range(7), repeat=3):
        if sum(counts) != 6:
            continue
        for left, right in itertools.permutations(range(3), 2):
            if counts[left] == 0:
                continue
            moved = np.array(counts)
            moved[left] -= 1
            moved[right] += 1
            pair = np.array([counts, moved])
            here, there = distances(pair)
            assert abs(here - there) <= 1
            assert here == 0 or np.argmax(pair[0]) == np.argmax(pair[1])


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries", "unit"), [(1.0, 1e-6, 100, 4096), (8.0, 1e-3, 1, 16), (0.5, 0.1, 10, 4)]
)
def test_the_line_holds_delta_and_is_not_much_higher_than_it_must_be(
    epsilon: float, delta: float, queries: int, unit: int
) -> None:
    rule = consensus(epsilon, delta, queries, unit)
    assert rule.unit / rule.line_scale + 2 * rule.unit / rule.query_scale + rule.vote <= epsilon
    noise, law = line_noise(rule.line_scale)
    lines = (rule.line, rule.line - max(1, rule.line // 10))
    some = [np.minimum(tail(line + noise, rule.query_scale), 1 - 1e-16) for line in lines]
    exact = [float(law @ -np.expm1(queries * np.log1p(-chance))) for chance in some]
    assert exact[0] <= rule.failure() <= delta
    assert exact[1] > delta * 0.9, "a tenth lower would be too low"
    assert passing(rule.line - 1, rule.line_scale, rule.query_scale, queries) > delta


def test_enough_voters_settle_what_most_agree_on() -> None:
    rule = consensus(4.0, 1e-6, 50)
    voters = consensus_voters(rule)
    mechanism, bits = ConsensusVote(4.0, 1e-6, rule), bits_from(1)
    agreed = math.ceil(0.9 * voters)
    with Ledger().reserve(mechanism.event) as entry:
        answered = mechanism.open_round(entry, bits).answer(Private(np.array([[voters - agreed, agreed]] * 20)), bits)
    assert answered.labels.tolist() == [1] * 20
    assert not answered.contested


def test_a_round_ends_with_its_number_or_its_contested_query_and_pays_no_second_time() -> None:
    mechanism, bits = ConsensusVote(EPSILON, DELTA, RULE), bits_from(0)
    clear, tie = Private(np.array([[0, 500]] * 2)), Private(np.array([[300, 300], [0, 600]]))
    with Ledger().reserve(mechanism.event) as entry:
        current = mechanism.open_round(entry, bits)
        assert current.answer(clear, bits).labels.tolist() == [1, 1]
        assert current.open
        assert len(current.answer(clear, bits).labels) == 1
        assert not current.open
        assert not entry.open
        with pytest.raises(LedgerFailure):
            current.answer(clear, bits)
    for _ in range(50):
        with Ledger().reserve(mechanism.event) as entry:
            current = mechanism.open_round(entry, bits)
            answered = current.answer(tie, bits)
            assert answered.contested == (not current.open) or len(answered.labels) == 2
            if answered.contested:
                assert len(answered.labels) == 1
                with pytest.raises(LedgerFailure):
                    current.answer(clear, bits)
                break
    else:
        pytest.fail("a tie was never contested")


def test_no_round_without_an_open_entry_that_pays_for_it() -> None:
    mechanism = ConsensusVote(EPSILON, DELTA, RULE)
    with Ledger().reserve(mechanism.event) as closed:
        pass
    with pytest.raises(LedgerFailure):
        mechanism.open_round(closed, bits_from(0))
    for event in (ApproximateRelease(EPSILON, 0.01), BoundedRangeRelease(EPSILON)):
        with Ledger().reserve(event) as entry, pytest.raises(LedgerFailure):
            mechanism.open_round(entry, bits_from(0))


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (1e-12, 1e-6)])
def test_what_no_round_can_keep_is_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(MechanismRefused):
        consensus(epsilon, delta, 10)
