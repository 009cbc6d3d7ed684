"""Does each sampler draw the law it is said to draw?  Against enumerated tables, limits and tails.

Every law is tested against the right scale and against scales 30 % off, which must be rejected: a test that would let
those pass has seen too little.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy import stats

from equipoise.audit.exact.discrete_laws import permute_and_flip_law, vote_law
from equipoise.audit.frozen.taps import held
from equipoise.gate import Bits, door
from equipoise.gate.answers import average
from equipoise.gate.answers import linear_answers as answers
from equipoise.gate.choices import stop
from equipoise.gate.order import random_order, uniform_below
from equipoise.theory.accounting.selection import PoissonStop
from equipoise.theory.noise import Law, Noise

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Draw = Callable[[Noise, Bits], Integers]
"""One vector of a law, in whole grid steps."""

FALSE_ALARM = 1e-9
"""The chance that a right sampler fails one check."""

WRONG = (0.7, 1.3)
FEWEST_EXPECTED = 25.0
"""Cells that expect fewer draws share one, or the chi-square law would not fit them."""

LARGE = 2.0**30
"""Grid steps to a scale at which a lattice law is as good as its limit."""


@dataclass(frozen=True, slots=True)
class Check:
    """One question, the p-value of its answer, and whether that is as it should be."""

    name: str
    p_value: float
    holds: bool
    detail: str = ""


def law_checks(draw: Draw, bits: Bits, draws: int) -> list[Check]:
    """All samplers: the three noise laws, the two of answers, coins, orders, choices, votes and run lengths."""
    checks = [check for scale in (3.0, 16.0) for check in _table(Law.LAPLACE, scale, draw, bits, draws)]
    checks += [check for scale in (1.7, 12.34) for check in _table(Law.GAUSSIAN, scale, draw, bits, draws)]
    checks += [check for law in (Law.LAPLACE, Law.GAUSSIAN) for check in _limit(law, draw, bits, draws)]
    checks += [check for dim in (2, 7) for check in _sphere(dim, draw, bits, max(1500, draws // 20))]
    fast = held(answers, "laplace_by_inversion")(5, draws, bits)
    checks += _both_ways("laplace by inversion, scale 5", lambda part: fit_to(fast, laplace_table(5 * part)))
    exact = held(answers, "rounded_gaussian")(5.0, draws, bits)
    checks += _both_ways("gaussian, rounded, scale 5", lambda part: fit_to(exact, rounded_table(5 * part)))
    return [*checks, *_choices(bits, draws)]


def judged(name: str, p_value: float) -> Check:
    """A law that is as stated."""
    return Check(name, p_value, p_value > FALSE_ALARM)


def _both_ways(name: str, p_value: Callable[[float], float]) -> list[Check]:
    """The right scale must pass and the wrong ones must not."""
    wrong = max(p_value(part) for part in WRONG)
    return [judged(name, p_value(1.0)), Check(f"{name}: 30 % off is seen", wrong, wrong < FALSE_ALARM)]


def _table(law: Law, scale: float, draw: Draw, bits: Bits, draws: int) -> list[Check]:
    drawn = draw(Noise(law, scale, 1.0, draws), bits)
    table = laplace_table if law is Law.LAPLACE else gaussian_table
    return _both_ways(f"{law.value}, scale {scale:g}, enumerated", lambda part: fit_to(drawn, table(scale * part)))


def _limit(law: Law, draw: Draw, bits: Bits, draws: int) -> list[Check]:
    """At large scales: the whole law by Kolmogorov-Smirnov, its tail by counting, its lowest bits, its neighbours."""
    drawn = draw(Noise(law, LARGE, 1.0, draws), bits)
    limit, far = (stats.laplace(), 5.0) if law is Law.LAPLACE else (stats.norm(), 3.0)
    shares = drawn / LARGE
    beyond = int(np.sum(np.abs(shares) > far))
    checks = _both_ways(f"{law.value}, large scale", lambda part: float(stats.kstest(shares / part, limit.cdf).pvalue))
    tail = float(stats.binomtest(beyond, draws, 2 * float(limit.sf(far))).pvalue)
    low = float(stats.chisquare(np.bincount(drawn & 0xFF, minlength=256)).pvalue)
    signs = float(stats.binomtest(int(np.sum((drawn[1:] > 0) == (drawn[:-1] > 0))), draws - 1).pvalue)
    return [
        *checks,
        judged(f"{law.value}, tail beyond {far:g} scales", tail),
        judged(f"{law.value}, lowest byte uniform", low),
        judged(f"{law.value}, successive signs independent", signs),
    ]


def _sphere(dim: int, draw: Draw, bits: Bits, draws: int) -> list[Check]:
    """The radius is Gamma(dim); the square of a coordinate's share is Beta."""
    vectors = np.array([draw(Noise(Law.SPHERICAL, LARGE, 1.0, dim), bits) for _ in range(draws)]) / LARGE
    radii = np.linalg.norm(vectors, axis=1)
    gamma, share = stats.gamma(dim), (vectors[:, 0] / radii) ** 2
    turned = float(stats.kstest(share, stats.beta(0.5, (dim - 1) / 2).cdf).pvalue)
    checks = _both_ways(
        f"spherical, {dim} dims, radius", lambda part: float(stats.kstest(radii / part, gamma.cdf).pvalue)
    )
    return [*checks, judged(f"spherical, {dim} dims, direction", turned)]


def _choices(bits: Bits, draws: int) -> list[Check]:
    """What is drawn without noise: each against the auditor's own formula."""
    few = draws // 10
    made = held(door, "Coins")((8, 7, 0), 1, 0.5)  # exponents 0, 1/4 and 2
    coins = made.flip(np.repeat(np.arange(3), few).astype(np.intp), bits).reshape(3, few).sum(axis=1)
    orders = np.array([random_order(4, bits) for _ in range(few)]) @ np.array([64, 16, 4, 1])
    votes = np.array([5, 3, 0])
    voted = np.bincount(held(door, "weighted_choice")(np.tile(votes, (draws, 1)), Fraction(1, 4), bits), minlength=3)
    heads = int(held(average, "flip")(np.full(draws, 2**62, dtype=np.uint64), lambda _: Fraction(1, 4), bits).sum())
    below = np.bincount(uniform_below(7, draws, bits), minlength=7)
    runs = np.array([stop.run_law(PoissonStop(3.0)).draw(bits) for _ in range(few)])
    poisson = {k: float(stats.poisson(3.0).pmf(k)) for k in range(40)}
    checks = [
        judged(f"coin of probability exp(-{float(x):.3g})", _binomial(int(seen), few, math.exp(-x)))
        for x, seen in zip(made.exponents, coins, strict=True)
    ]
    return [
        *checks,
        judged("random order of four, all 24 alike", _alike(orders, 24)),
        judged("uniform below seven", float(stats.chisquare(below).pvalue)),
        judged("soft vote", float(stats.chisquare(voted, draws * vote_law(votes, 0.5)).pvalue)),
        judged("coin of probability a quarter", _binomial(heads, draws, 0.25)),
        judged("permute-and-flip", _permuted(bits, few)),
        judged("number of runs, Poisson", fit_to(runs, poisson)),
    ]


def _alike(draws: npt.NDArray[np.integer], kinds: int) -> float:
    """Whether so many kinds come equally often; one that never comes counts too."""
    seen = np.unique(draws, return_counts=True)[1]
    return float(stats.chisquare(np.pad(seen, (0, kinds - len(seen)))).pvalue)


def _binomial(seen: int, draws: int, chance: float) -> float:
    return float(stats.binomtest(seen, draws, min(1.0, chance)).pvalue)


def _permuted(bits: Bits, draws: int) -> float:
    """What the door's `choose` does once it is open: scores one step apart in units of the sensitivity."""
    coins, seen = held(door, "Coins")((4, 3, 0), 2, 1.0), np.zeros(3)
    for _ in range(draws):
        seen[held(door, "permute_and_flip")(coins, bits)] += 1
    return float(stats.chisquare(seen, draws * permute_and_flip_law([4.0, 3.0, 0.0], 2.0, 1.0)).pvalue)


def fit_to(draws: npt.NDArray[np.integer], table: dict[int, float]) -> float:
    """The p-value of a chi-square test.  Values that the table leaves out, or expects rarely, share a cell."""
    values, counts = np.unique(draws, return_counts=True)
    seen = dict(zip(values.tolist(), counts.tolist(), strict=True))
    likely_first = sorted(table.items(), key=lambda item: -item[1])
    common = [(k, p * draws.size) for k, p in likely_first if p * draws.size >= FEWEST_EXPECTED]
    if draws.size - sum(count for _, count in common) < FEWEST_EXPECTED:
        common.pop()
    observed = [float(seen.get(k, 0)) for k, _ in common]
    expected = [count for _, count in common]
    observed.append(draws.size - math.fsum(observed))
    expected.append(draws.size - math.fsum(expected))
    return float(stats.chisquare(observed, expected).pvalue)


def laplace_table(scale: float) -> dict[int, float]:
    """P(k) ∝ exp(−|k|/scale), enumerated."""
    return _normalised(lambda k: np.exp(-np.abs(k) / scale), round(45 * scale) + 5)


def gaussian_table(sigma: float) -> dict[int, float]:
    """P(k) ∝ exp(−k²/(2σ²)), enumerated."""
    return _normalised(lambda k: np.exp(-(k**2) / (2 * sigma**2)), round(14 * sigma) + 5)


def rounded_table(sigma: float) -> dict[int, float]:
    """P(|σZ − k| < ½), Z standard normal."""
    return _normalised(
        lambda k: stats.norm.sf((np.abs(k) - 0.5) / sigma) - stats.norm.sf((np.abs(k) + 0.5) / sigma),
        round(14 * sigma) + 5,
    )


def _normalised(weight: Callable[[Array], Array], reach: int) -> dict[int, float]:
    k = np.arange(-reach, reach + 1)
    weights = weight(k.astype(np.float64))
    return dict(zip(k.tolist(), (weights / weights.sum()).tolist(), strict=True))
