"""The cache of answers: it finds what was asked before, and keeps no query."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import InvalidInput
from equipoise.estimators.answer import asked as _asked
from equipoise.estimators.answer.asked import Asked, Bring, Keys, Looked, _any_twice, fingerprints

Array = npt.NDArray[np.float64]


def weights(columns: int, seed: int = 0) -> Keys:
    """What a predictor draws when it is fitted."""
    return np.random.default_rng(seed).integers(0, 2**64, size=(columns, 2), dtype=np.uint64) | np.uint64(1)


def ask(cache: Asked, rows: Array, counter: list[int]) -> Array:
    """Answer every new query with the next number."""
    looked: Looked = cache.look_up(rows)
    fresh = np.arange(counter[0], counter[0] + looked.new, dtype=np.float64)
    counter[0] += looked.new
    cache.remember(looked, fresh)
    return looked.filled(fresh)


def slow(rows: list[Array]) -> list[Array]:
    """The obvious cache: one dictionary."""
    seen: dict[tuple[float, ...], float] = {}
    told = []
    for batch in rows:
        told.append(np.array([seen.setdefault(tuple(row.tolist()), float(len(seen))) for row in batch]))
    return told


def batches(seed: int) -> list[Array]:
    """Small whole numbers, so that rows repeat within and across batches."""
    rng = np.random.default_rng(seed)
    return [np.array(rng.integers(-1, 3, size=(int(rng.integers(1, 60)), 4)), dtype=np.float64) for _ in range(25)]


def same_partition(left: list[Array], right: list[Array]) -> bool:
    """Equal up to the order in which new queries of one batch were numbered."""
    pairs = set(zip(np.concatenate(left).tolist(), np.concatenate(right).tolist(), strict=True))
    return len(pairs) == len({pair[0] for pair in pairs}) == len({pair[1] for pair in pairs})


@pytest.mark.parametrize("seed", range(5))
def test_the_cache_agrees_with_the_obvious_one(seed: int) -> None:
    cache, counter, rows = Asked(weights(4)), [0], batches(seed)
    assert same_partition([ask(cache, batch, counter) for batch in rows], slow(rows))
    assert counter[0] == len(cache) == len(np.unique(np.concatenate(rows) + 0.0, axis=0))


@pytest.mark.parametrize("distinct", [1, 3])
def test_different_queries_that_share_a_first_word_are_kept_apart(
    distinct: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = fingerprints

    def poor(rows: Array, weights: Keys, bring: Bring) -> Keys:
        keys = honest(rows, weights, bring)
        keys[:, 0] %= np.uint64(distinct)
        return keys

    monkeypatch.setattr(_asked, "fingerprints", poor)
    cache, counter, rows = Asked(weights(4)), [0], batches(7)
    assert same_partition([ask(cache, batch, counter) for batch in rows], slow(rows))


@pytest.mark.parametrize("word", [0, 1])
def test_each_word_by_itself_tells_structured_rows_apart(word: int) -> None:
    """Whole numbers, one-hot rows and neighbouring doubles: what a weak sum would confuse."""
    grid = np.stack(np.meshgrid(*[np.arange(20.0)] * 4), axis=-1).reshape(-1, 4)
    assert len(np.unique(fingerprints(grid, weights(4))[:, word])) == len(grid)
    hot = np.eye(300)
    assert len(np.unique(fingerprints(np.vstack([hot, -hot, 2 * hot]), weights(300))[:, word])) == 900
    near = np.full((4, 2), 1.0)
    near[1:, 0] = np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0), -1.0
    assert len(np.unique(fingerprints(near, weights(2))[:, word])) == 4
    swapped = np.array([[0.25, 0.5], [0.5, 0.25]])
    assert len(np.unique(fingerprints(swapped, weights(2))[:, word])) == 2


def test_fingerprints_depend_on_the_row_and_the_secret_weights_alone() -> None:
    X = np.random.default_rng(0).normal(size=(9000, 7))
    together = fingerprints(X, weights(7))
    assert np.array_equal(together, fingerprints(np.asfortranarray(X[::-1]), weights(7))[::-1])
    places = (0, 4680, 4681, 4682, 8999)
    assert all(np.array_equal(fingerprints(X[[place]], weights(7))[0], together[place]) for place in places)
    assert not np.any(together == fingerprints(X, weights(7, seed=1)))


def test_queries_themselves_are_not_kept() -> None:
    cache = Asked(weights(2))
    ask(cache, np.array([[0.123456789, 7.0]]), [0])
    kept = b"".join(array.tobytes() for block in cache._blocks for array in (block.keys, block.answers))
    assert np.float64(0.123456789).tobytes() not in kept


def test_a_thousand_single_questions_stay_in_few_blocks() -> None:
    cache, counter = Asked(weights(2)), [0]
    for number in range(1000):
        ask(cache, np.array([[float(number), 1.0]]), counter)
    assert len(cache) == 1000
    assert len(cache._blocks) <= 12
    assert ask(cache, np.array([[17.0, 1.0]]), counter)[0] == 17.0


def test_numbers_whose_sum_overflows_are_fine_and_infinity_is_not() -> None:
    large = np.full((3, 2), 1.7e308)
    assert len(np.unique(fingerprints(large, weights(2)), axis=0)) == 1
    large[2, 0] = -np.inf
    with pytest.raises(InvalidInput, match="infinity"):
        fingerprints(large, weights(2))


def test_what_is_brought_to_the_same_is_the_same_query_and_the_callers_rows_stay() -> None:
    """Over several blocks, and in one; a zero counts as one whatever its sign."""
    rows = np.random.default_rng(0).normal(size=(30_000, 9))
    rows[::7] = -0.0
    before = rows.copy()

    def halves(part: Array) -> None:
        np.floor(2 * part, out=part)

    keys = fingerprints(rows, weights(9), halves)
    assert np.array_equal(keys, fingerprints(np.floor(2 * rows), weights(9)))
    assert np.array_equal(keys[::7], np.repeat(fingerprints(np.zeros((1, 9)), weights(9)), len(keys[::7]), axis=0))
    assert rows.tobytes() == before.tobytes()


@pytest.mark.parametrize("half", [1, 2**32])
def test_words_that_share_one_half_are_not_taken_for_equal(half: int) -> None:
    """Either half may be the one that is sorted."""
    other = 2**32 + 1 - half
    words = np.arange(1000, dtype=np.uint64) * np.uint64(half) + np.uint64(77 * other)
    assert not _any_twice(words)
    words[0] = words[-1]
    assert _any_twice(words)


def test_equal_words_are_found_wherever_they_stand() -> None:
    words = np.random.default_rng(0).integers(0, 2**64, 5000, dtype=np.uint64)
    assert not _any_twice(words)
    assert not _any_twice(words[:1])
    assert not _any_twice(words[:0])
    for first, second in ((0, 1), (17, 4999), (2500, 2499)):
        twice = words.copy()
        twice[second] = twice[first]
        assert _any_twice(twice)
        assert _any_twice(np.repeat(twice, 2)[::2])
