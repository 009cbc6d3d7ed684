"""A family of simulated problems: 200 to 10⁶ rows, 1 to 10⁵ columns, from no signal to a strong one.

Dense rows are normal or heavy-tailed (Student, 3 degrees) with a common factor of weight `correlation`, clipped at ±3
sizes; sparse rows hold about fifty words whose frequencies fall like 1/rank.  `signal` is the standard deviation of the
true score: log-odds in classification; in regression it gives R² = signal² / (1 + signal²).  With `shape="bent"` the
score is a sum of bumps, steps and valleys of single columns, which no straight line follows.  Of numbers, a share
`zeros` may be nothing at all (less often where the score is high), and noise may be `uneven`: three times as wide where
the score is high as where it is low.  Numbers that are `skewed` have the logarithm of a normal score, as incomes do.
With `marks` all columns are yes or no, one in five of them yes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.utility.problem import DESIGN, FRESH, SEEN, Array, Number, Problem, Raw, Spec, cut, generator

REACH = 3.0
"""Columns are clipped at this many sizes: their public bounds."""

LABELS = (-2.0, 22.0)
"""Public bounds of the label in regression, which has mean 10 and standard deviation 3."""

WORDS = 50

MARKED = 0.8416
"""One normal number in five is larger."""

SKEW = 0.8
"""Standard deviation of the logarithm of a skewed label."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a problem of the family is like."""

    name: str
    place: str
    rows: int
    columns: int
    signal: float
    classes: int = 2
    correlation: float = 0.0
    heavy: bool = False
    rare: float = 0.5
    shape: str = "straight"
    zeros: float = 0.0
    uneven: bool = False
    skewed: bool = False
    marks: bool = False

    @property
    def spec(self) -> Spec:
        """In the list of all problems."""
        return Spec(f"sim-{self.name}", self.place, "simulated", self.problem)

    def problem(self) -> Problem:
        draw = generator(self.name)
        if self.columns > 1000:
            X = _words(draw, self.rows, self.columns)
            score = X @ draw.standard_normal((self.columns, max(self.classes - 1, 1)))
            raw = None
        else:
            Z = self._dense(draw)
            X = cut(Z / REACH / np.sqrt(self.columns / 3))
            score = self._score(draw, Z)
            raw = Raw(Z, tuple(Number(f"x{place}", -REACH, REACH) for place in range(self.columns)))
        score = self.signal * (score - score.mean(axis=0)) / np.maximum(score.std(axis=0), 1e-12)
        bounds = LABELS if self.classes == 0 else None
        return Problem(f"sim-{self.name}", X, self._labels(draw, score), bounds, raw, max(self.classes, 2))

    def _dense(self, draw: np.random.Generator) -> Array:
        shape = (self.rows, self.columns)
        Z = draw.standard_t(3, shape) / np.sqrt(3) if self.heavy else draw.standard_normal(shape)
        if self.correlation:
            common = draw.standard_normal((self.rows, 1))
            Z = np.sqrt(1 - self.correlation) * Z + np.sqrt(self.correlation) * common
        if self.marks:
            Z = np.where(Z > MARKED, REACH, -REACH / 4)
        return np.clip(Z, -REACH, REACH)

    def _score(self, draw: np.random.Generator, Z: Array) -> Array:
        outputs = max(self.classes - 1, 1)
        weights = draw.standard_normal((self.columns, outputs)) / np.arange(1, self.columns + 1)[:, None] ** 0.5
        if self.shape == "straight":
            return np.asarray(Z @ weights)
        bends = (lambda z: np.sin(2 * z), lambda z: np.abs(z) - 0.8, lambda z: 1.0 * (z > 0.5), lambda z: z)
        bent = np.column_stack([bends[place % len(bends)](Z[:, place]) for place in range(self.columns)])
        return np.asarray(bent @ weights)

    def _labels(self, draw: np.random.Generator, score: Array) -> Array:
        if self.classes == 0:
            noise = draw.standard_t(3, self.rows) / np.sqrt(3) if self.heavy else draw.standard_normal(self.rows)
            if self.uneven:
                noise = noise * 3.0 ** np.clip(score[:, 0] / max(self.signal, 1e-12), -1, 1)
            mixed: Array = (score[:, 0] + noise) / np.sqrt(1 + self.signal**2)
            if self.skewed:
                spread = np.sqrt(np.expm1(SKEW**2) * np.exp(SKEW**2))
                mixed = (np.exp(SKEW * mixed) - np.exp(SKEW**2 / 2)) / spread
            if self.zeros:
                hidden = score[:, 0] + draw.logistic(size=self.rows)
                return np.where(hidden < np.quantile(hidden, self.zeros), 0.0, np.maximum(10.0 + 3.0 * mixed, 0.0))
            return np.asarray(10.0 + 3.0 * mixed)
        if self.classes == 2:
            shift = np.quantile(score[:, 0] + draw.logistic(size=self.rows), 1 - self.rare)
            return np.asarray(score[:, 0] + draw.logistic(size=self.rows) > shift, dtype=int)
        scores = np.column_stack([score, np.zeros(self.rows)])
        return np.asarray(np.argmax(scores + draw.gumbel(size=scores.shape), axis=1))


def _words(draw: np.random.Generator, rows: int, columns: int) -> Any:
    """A bag of words, each present or not."""
    odds = 1 / np.arange(1.0, columns + 1)
    found = draw.choice(columns, size=(rows, WORDS), p=odds / odds.sum())
    places = np.repeat(np.arange(rows), WORDS)
    X = sparse.csr_matrix((np.ones(rows * WORDS), (places, found.ravel())), shape=(rows, columns))
    X.data[:] = 1 / np.sqrt(WORDS)
    return cut(X)


FAMILY = (
    Simulated("tiny", DESIGN, 200, 2, 2.0),
    Simulated("small", DESIGN, 1_000, 10, 1.5),
    Simulated("correlated", DESIGN, 5_000, 50, 1.5, correlation=0.5),
    Simulated("nothing", DESIGN, 20_000, 20, 0.0),
    Simulated("rare", DESIGN, 100_000, 20, 2.0, rare=0.05),
    Simulated("words", DESIGN, 5_000, 10_000, 4.0),
    Simulated("three", DESIGN, 5_000, 10, 2.0, classes=3),
    Simulated("bent", DESIGN, 20_000, 8, 2.5, shape="bent"),
    Simulated("million", DESIGN, 1_000_000, 5, 1.0),
    Simulated("number-small", DESIGN, 500, 3, 2.0, classes=0),
    Simulated("number", DESIGN, 10_000, 10, 1.0, classes=0),
    Simulated("number-heavy", DESIGN, 50_000, 30, 1.0, classes=0, correlation=0.5, heavy=True),
    Simulated("number-line", DESIGN, 1_000_000, 1, 3.0, classes=0),
    Simulated("number-bent", DESIGN, 20_000, 8, 1.5, classes=0, shape="bent"),
    Simulated("tiny-line", SEEN, 300, 1, 3.0),
    Simulated("heavy", SEEN, 2_000, 5, 1.5, heavy=True),
    Simulated("wide", SEEN, 10_000, 100, 2.0, correlation=0.3),
    Simulated("faint", SEEN, 50_000, 8, 0.1),
    Simulated("rarer", SEEN, 20_000, 15, 2.0, rare=0.02),
    Simulated("many-words", SEEN, 4_000, 100_000, 4.0),
    Simulated("four", SEEN, 20_000, 30, 3.0, classes=4),
    Simulated("bumps", SEEN, 40_000, 12, 3.0, shape="bent", correlation=0.2),
    Simulated("million-wide", SEEN, 1_000_000, 12, 2.0, correlation=0.5),
    Simulated("number-tiny", SEEN, 200, 1, 3.0, classes=0),
    Simulated("number-nothing", SEEN, 5_000, 20, 0.0, classes=0),
    Simulated("number-strong", SEEN, 20_000, 8, 4.0, classes=0, correlation=0.5),
    Simulated("number-wide", SEEN, 100_000, 100, 1.0, classes=0),
    Simulated("number-bumps", SEEN, 40_000, 12, 2.0, classes=0, shape="bent", heavy=True),
    Simulated("few-rare", SEEN, 3_000, 6, 1.5, rare=0.1),
    Simulated("rarest", SEEN, 60_000, 12, 2.5, rare=0.01),
    Simulated("wider", SEEN, 4_000, 200, 3.0, correlation=0.2),
    Simulated("empty", SEEN, 2_000, 12, 0.0),
    Simulated("five", SEEN, 8_000, 12, 2.5, classes=5, heavy=True),
    Simulated("hills", SEEN, 12_000, 6, 2.5, shape="bent", heavy=True),
    Simulated("long", SEEN, 100_000, 10, 0.7, correlation=0.4),
    Simulated("number-zeros", SEEN, 6_000, 8, 1.0, classes=0, zeros=0.6),
    Simulated("number-uneven", SEEN, 10_000, 6, 1.0, classes=0, uneven=True),
    Simulated("number-empty", SEEN, 1_500, 8, 0.0, classes=0),
    Simulated("number-wider", SEEN, 8_000, 120, 1.5, classes=0, correlation=0.3),
    Simulated("number-tails", SEEN, 3_000, 5, 0.8, classes=0, heavy=True, zeros=0.3),
    Simulated("number-hills", SEEN, 15_000, 6, 2.0, classes=0, shape="bent"),
    Simulated("some", SEEN, 1_200, 4, 1.0),
    Simulated("leaning", SEEN, 9_000, 16, 1.2, rare=0.2, correlation=0.6),
    Simulated("scarce", SEEN, 25_000, 8, 2.0, rare=0.03, heavy=True),
    Simulated("blank", SEEN, 6_000, 5, 0.0, rare=0.35),
    Simulated("six", SEEN, 5_000, 9, 2.0, classes=6),
    Simulated("number-few", SEEN, 900, 6, 1.2, classes=0),
    Simulated("number-half", SEEN, 12_000, 7, 0.7, classes=0, zeros=0.5),
    Simulated("number-mostly", SEEN, 5_000, 4, 1.0, classes=0, zeros=0.8, heavy=True),
    Simulated("number-faint", SEEN, 9_000, 12, 0.3, classes=0, uneven=True),
    Simulated("number-blank", SEEN, 4_000, 6, 0.0, classes=0, heavy=True),
    Simulated("handful", SEEN, 400, 3, 1.5, marks=True),
    Simulated("ticked", SEEN, 15_000, 40, 1.5, marks=True),
    Simulated("outbreak", SEEN, 40_000, 10, 1.5, rare=0.04, marks=True),
    Simulated("bent-few", SEEN, 7_500, 5, 2.0, shape="bent", rare=0.3),
    Simulated("void", SEEN, 10_000, 30, 0.0),
    Simulated("eight", SEEN, 12_000, 6, 3.0, classes=8, correlation=0.3),
    Simulated("number-skewed", SEEN, 8_000, 10, 1.0, classes=0, skewed=True),
    Simulated("number-spend", SEEN, 30_000, 12, 0.8, classes=0, skewed=True, zeros=0.4, marks=True),
    Simulated("number-fanned", SEEN, 3_000, 15, 0.6, classes=0, uneven=True, correlation=0.7),
    Simulated("number-ticked", SEEN, 60_000, 25, 1.2, classes=0, marks=True, heavy=True),
    Simulated("number-void", SEEN, 700, 3, 0.0, classes=0, skewed=True),
    Simulated("kindling", SEEN, 300, 10, 2.5, heavy=True),
    Simulated("entangled", SEEN, 50_000, 60, 0.5, correlation=0.8),
    Simulated("needles", SEEN, 12_000, 30, 1.0, rare=0.015, marks=True),
    Simulated("three-faint", SEEN, 6_000, 15, 0.5, classes=3, heavy=True),
    Simulated("number-claims", SEEN, 20_000, 8, 0.5, classes=0, skewed=True, zeros=0.9),
    Simulated("number-braided", SEEN, 4_000, 60, 3.0, classes=0, correlation=0.6, heavy=True),
    Simulated("number-two", SEEN, 45_000, 2, 1.5, classes=0, shape="bent", uneven=True),
    Simulated("number-unticked", SEEN, 2_500, 20, 0.0, classes=0, marks=True),
    Simulated("crowded", FRESH, 2_000, 80, 2.0, rare=0.25, marks=True),
    Simulated("sparks", FRESH, 35_000, 20, 2.0, rare=0.02, shape="bent", heavy=True),
    Simulated("four-empty", FRESH, 8_000, 10, 0.0, classes=4),
    Simulated("ten-ticked", FRESH, 20_000, 30, 2.5, classes=10, marks=True),
    Simulated("number-dues", FRESH, 10_000, 20, 1.5, classes=0, correlation=0.5, zeros=0.3, skewed=True),
    Simulated("number-gusts", FRESH, 1_500, 30, 1.2, classes=0, uneven=True, marks=True),
)
SPECS = tuple(each.spec for each in FAMILY)
