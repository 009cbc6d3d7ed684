"""The noise audit: laws, seeds, low bits and repetitions, in one table with one verdict.

Whoever runs it needs no records: the numbers it looks at are drawn for it.  A right library fails a run by bad luck
with a chance of at most FALSE_ALARM for each check.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from equipoise._checks import whole
from equipoise._docs import documented
from equipoise.audit.noise.laws import FALSE_ALARM, Check, Draw, judged, law_checks
from equipoise.errors import InvalidInput
from equipoise.estimators import LogisticRegression
from equipoise.gate import Bits, laws, noise_source
from equipoise.theory.noise import Law, Noise

Array = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

FEWEST_DRAWS = 10_000
"""With fewer, a scale 30 % off might pass."""

WORDS = 256
SOURCES = 8
LOW = 8
"""Values of the lowest bits that are told apart."""

CHILD = (
    "import sys; from equipoise.gate import noise_source;"
    f" sys.stdout.buffer.write(noise_source('equipoise', None).words({WORDS}).tobytes())"
)


@documented(record=True)
@dataclass(frozen=True, slots=True)
class NoiseAudit:
    """Every check, and whether all hold."""

    checks: tuple[Check, ...]
    false_alarm: float = FALSE_ALARM

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that do not hold, in their order."""
        return tuple(check for check in self.checks if not check.holds)

    def __str__(self) -> str:
        width = max(len(check.name) for check in self.checks)
        lines = [
            f"{'ok ' if check.holds else 'BAD'} {check.name:<{width}}  p={check.p_value:.3g}  {check.detail}".rstrip()
            for check in self.checks
        ]
        verdict = "holds" if self.holds else f"FAILS: {len(self.failed)} of {len(self.checks)} checks"
        return "\n".join([*lines, f"noise audit {verdict}; false alarms {self.false_alarm:g} a check"])


@documented(returns="NoiseAudit: Every check.")
def noise_audit(
    *,
    draws: int = 20_000,
    draw: Draw | None = None,
    source: Callable[[], Bits] | None = None,
    release: Callable[[int], Array] | None = None,
    step: float | None = None,
) -> NoiseAudit:
    """Check the library's noise, or another's in its place.

    `draw(noise, bits)` gives one vector of a law in grid steps; `source()` a fresh source of random bits;
    `release(k)` one release, as numbers, of the k-th of two data sets, on the grid of `step`.
    """
    if whole(draws=draws) < FEWEST_DRAWS:
        raise InvalidInput(f"draws={draws}: too few to see a scale 30 % off, draw at least {FEWEST_DRAWS}")
    if (release is None) != (step is None):
        raise InvalidInput("release, step: give both or neither")
    fresh, vectors = source or _library_source, draw or laws.draw
    checks = law_checks(vectors, fresh(), draws)
    checks += seed_checks(fresh)
    checks += [process_check(), repetition_check(vectors, fresh)]
    own_release, own_step = _library_release() if release is None or step is None else (release, step)
    return NoiseAudit((*checks, *low_bit_checks(own_release, own_step)))


def _library_source() -> Bits:
    return noise_source("equipoise", None)


# --- seeds ------------------------------------------------------------------------------------------------------------


def seed_checks(source: Callable[[], Bits]) -> list[Check]:
    """Fresh sources never share a word: in one thread, in several, in forks."""
    here = [source().words(WORDS) for _ in range(SOURCES)]
    with ThreadPoolExecutor(SOURCES) as pool:
        threads = list(pool.map(lambda _: source().words(WORDS), range(SOURCES)))
    forks = [_forked(source) for _ in range(2)] if "fork" in multiprocessing.get_all_start_methods() else []
    parent = source()
    spawned = [parent.spawn().words(WORDS), parent.spawn().words(WORDS), parent.words(WORDS)]
    return [
        _distinct("fresh sources", here),
        _distinct("fresh sources in threads", [*here, *threads]),
        _distinct("fresh sources in forks", [*here, *forks]),
        _distinct("a source and those spawned from it", spawned),
        judged("words of all sources, every bit a fair coin", _fair_bits(np.concatenate([*here, *threads]))),
    ]


def process_check() -> Check:
    """The library's own source shares no word with that of a new process."""
    other = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, check=True, timeout=120)
    return _distinct("a new process", [_library_source().words(WORDS), np.frombuffer(other.stdout, dtype=np.uint64)])


def _forked(source: Callable[[], Bits]) -> Words:
    """Words from a child that shares everything with this process but its own draws."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons dislike forks beside threads
        child = os.fork()
    if child == 0:
        try:
            os.write(writing, source().words(WORDS).tobytes())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        words = np.frombuffer(pipe.read(), dtype=np.uint64)
    os.waitpid(child, 0)
    return words


def _distinct(name: str, sources: list[Words]) -> Check:
    """Two of N random words agree with probability below N²/2⁶⁵."""
    words = np.concatenate(sources)
    equal = words.size - np.unique(words).size
    chance = min(1.0, words.size**2 / 2.0**65) if equal else 1.0
    return Check(f"no word twice: {name}", chance, equal == 0, f"{equal} of {words.size} twice" if equal else "")


def _fair_bits(words: Words) -> float:
    """The worst of 64 places, by its binomial p-value."""
    ones = [int(((words >> np.uint64(place)) & np.uint64(1)).sum()) for place in range(64)]
    return min(1.0, 64 * min(float(stats.binomtest(count, words.size).pvalue) for count in ones))


def repetition_check(draw: Draw, source: Callable[[], Bits], vectors: int = 500) -> Check:
    """No two vectors of noise are alike, each from a source of its own."""
    noise = Noise(Law.GAUSSIAN, 2.0**24, 1.0, 4)
    drawn = np.array([draw(noise, source()) for _ in range(vectors)])
    equal = vectors - len(np.unique(drawn, axis=0))
    return Check("noise is never drawn twice", 1.0 if not equal else 0.0, equal == 0, f"{equal} twice" if equal else "")


# --- low bits ---------------------------------------------------------------------------------------------------------


def low_bit_checks(release: Callable[[int], Array], step: float, draws: int = 150) -> list[Check]:
    """Every released number lies on the grid, and its lowest bits say nothing of the data they came from."""
    both = [np.array([np.ravel(release(which)) for _ in range(draws)]) / step for which in (0, 1)]
    off = sum(int(np.sum(numbers != np.rint(numbers))) for numbers in both)
    counts = [np.bincount(np.rint(part).astype(np.int64).ravel() % LOW, minlength=LOW) for part in both]
    grid = Check(
        "released numbers lie on the grid", 1.0 if not off else 0.0, off == 0, f"{off} beside it" if off else ""
    )
    seen = np.array(counts)[:, np.array(counts).sum(axis=0) > 0]
    alike = float(stats.chi2_contingency(seen).pvalue) if seen.shape[1] > 1 else 1.0
    same = set(np.flatnonzero(counts[0])) == set(np.flatnonzero(counts[1]))
    return [
        grid,
        Check("both data sets show the same lowest bits", 1.0 if same else 0.0, same),
        judged("lowest bits equally often", alike),
        judged("lowest bits uniform", min(float(stats.chisquare(part).pvalue) for part in counts)),
    ]


def _library_release() -> tuple[Callable[[int], Array], float]:
    """Output perturbation on two made-up tables that differ in every row."""
    X, y = np.linspace(-1, 1, 60).reshape(-1, 2) / 2, np.arange(30) % 2
    tables = ((X, y), (0.1 + X[::-1] / 3, 1 - y))

    def estimator() -> LogisticRegression:
        return LogisticRegression(1.0, mechanism="output", alpha=0.1, fit_intercept=False)

    def release(which: int) -> Array:
        return np.asarray(estimator().fit(*tables[which]).coef_, dtype=np.float64)

    return release, estimator().plan(30, 2).constants()["grid step"]
