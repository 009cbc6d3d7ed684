"""The curve behind a first look at Gaussian draws: nearer to the truth than the proof asks, with one set of digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from equipoise.gate.noise import normal_curve
from equipoise.gate.noise.halves import Array
from equipoise.gate.noise.normal_curve import CELLS, ERROR, POWERS, normal_tails
from equipoise.rows import compiled
from equipoise.rows.compiled.steps import along_curve


def heads() -> Array:
    """31 bits: the smallest, the largest, both ends and the middle of every cell that holds more than a few, and some
    drawn evenly along their logarithm."""
    edges = (2.0 ** np.arange(31)[:, None] * (1 + np.arange(CELLS) / CELLS)).ravel()
    drawn = 2.0 ** np.random.default_rng(0).uniform(0, 31, 500)
    near = [np.arange(600.0), 2.0**31 - 1 - np.arange(50.0), drawn, edges, edges - 1, edges + 0.5 * 2.0**-5 * edges]
    found = np.unique(np.floor(np.concatenate(near)))
    return found[(found >= 0) & (found < 2.0**31)]


def middles(found: Array) -> Array:
    return np.asarray((found + 0.5) * 2.0**-31)


def test_it_errs_by_less_than_the_proof_allows() -> None:
    """Against forty digits: one step of Newton's from the curve's own value tells how far it is off."""
    v = middles(heads())
    with mpmath.workdps(40):
        for at, x in zip(v.tolist(), normal_tails(v).tolist(), strict=True):
            beyond = mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2))
            steepness = mpmath.sqrt(2 / mpmath.pi) * mpmath.exp(-(mpmath.mpf(x) ** 2) / 2)
            assert abs((beyond - at) / steepness) < ERROR


def test_numpy_has_the_same_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a seed gives the same draws with and without a compiler."""
    v = middles(np.concatenate([heads(), np.floor(np.random.default_rng(1).uniform(0, 2.0**31, 20_000))]))
    quick = normal_tails(v)
    monkeypatch.setattr(compiled, "CELLS", None)
    np.testing.assert_array_equal(quick, normal_tails(v))


def test_it_is_known_wherever_a_draw_can_begin() -> None:
    ends = middles(np.array([0.0, 2.0**31 - 1]))
    assert ends[0] == 2.0**-POWERS
    assert np.all(np.diff(normal_tails(ends)) < 0)


@pytest.mark.skipif(compiled.CELLS is None, reason="nothing is compiled here")
@pytest.mark.parametrize("at", [2.0**-33, 1.0, 7.0, -0.5, np.nan, np.inf, 0.0])
def test_nothing_is_read_outside_the_curve(at: float) -> None:
    out = np.empty(1)
    given = (np.array([at]), normal_curve._pieces(), normal_curve.FIRST, normal_curve.SHIFT)
    assert not along_curve(*given, out)
