"""Whether what `plan` said before anything was spent came true: two intervals, and the advice.

Plans are made anew from n, d, ε and δ by today's library; label bounds are any, as a plan only scales by them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import equipoise as eq
from benchmarks.utility.compare import Results, score
from benchmarks.utility.contenders.contract import DELTA
from benchmarks.utility.metrics import primary
from benchmarks.utility.results import Result
from equipoise.theory.expected import Expected

PRICES = (0.1, 1.0, 10.0)
SLACK = 2.0
"""Standard errors that a score may lie beside its interval."""

FAINT = 0.02
"""Where the best model is not as far above the best constant, what is left open of that is chance."""


@dataclass(frozen=True, slots=True)
class Foretold:
    """One cell: whether the score and its cost lay where the plan said, the advice, and what was left open."""

    scored: bool
    paid: bool
    advice: str
    left: float | None
    """Of the way from the best constant to the model without privacy."""


@lru_cache(maxsize=1024)
def ahead(task: str, n: int, d: int, epsilon: float, delta: float) -> Expected:
    """What a person is told."""
    numbers = task == "regression"
    model = (
        eq.LinearRegression(epsilon, delta, label_bounds=(-1, 1)) if numbers else eq.LogisticRegression(epsilon, delta)
    )
    told = model.plan(n, d).expected
    assert told is not None, "plans of linear models say what to expect"
    return told


def compared(results: Results, own: Result) -> Foretold | None:
    """None where it failed, or has several classes: the file does not say how many."""
    best, constant = (results.reference(own.problem, name) for name in ("not private", "constant"))
    if own.failed or own.task == "multiclass" or best is None or constant is None:
        return None
    told, got = ahead(own.task, own.n, own.d, own.epsilon, own.delta), score(own)
    slack, cost = SLACK * float(getattr(own, f"{primary(own.task)}_se") or 0.0), score(best) - got
    room = score(best) - score(constant)
    high = max(told.high, score(constant))  # accuracy is higher where one class is rare, as the plan says
    return Foretold(
        told.low - slack <= got <= high + slack,
        told.cost_low - slack <= cost <= told.cost_high + slack,
        told.advice.split(":")[0].split(",")[0],
        cost / room if room > FAINT else None,
    )


def section(results: Results, places: dict[str, str]) -> str:
    """For the page: how often intervals held, and what was left open by what was advised."""
    kept = [
        "| tables | cells | accuracy or R² within its interval | what privacy costs within its interval |",
        "|---|---|---|---|",
    ]
    advised = ["| advised | tables | cells | left open, the middle half |", "|---|---|---|---|"]
    for place, words in places.items():
        own = [each for each in results.of("auto", place, DELTA) if each.epsilon in PRICES]
        found = [each for each in (compared(results, one) for one in own) if each is not None]
        if not found:
            continue
        kept.append(
            f"| {words} | {len(found)} | {_share(one.scored for one in found)} | {_share(one.paid for one in found)} |"
        )
        advised += _by_advice(found, words)
    if len(kept) == 2:
        return ""
    return "\n".join(
        [
            "## What plans foretold",
            "",
            "Two classes and numbers, δ = 10⁻⁶, ε = 0.1, 1 and 10; plans of today's library, from n, d, ε and δ alone;"
            " within two standard errors. Accuracy may be as high as a constant's, where that is above the interval:"
            " plans say that it is higher where one class is rare.",
            "",
            *kept,
            "",
            "*Left open*: of the way from the best constant to the same model without privacy, where that is more than"
            f" {FAINT:g}. Above one, a constant was better.",
            "",
            *advised,
        ]
    )


def _by_advice(found: list[Foretold], words: str) -> list[str]:
    """A row for each advice, the best first."""
    by_advice: dict[str, list[float]] = {}
    for one in found:
        if one.left is not None:
            by_advice.setdefault(one.advice, []).append(one.left)
    rows = []
    for advice, left in sorted(by_advice.items(), key=lambda each: float(np.median(each[1]))):
        low, high = np.round(np.quantile(left, (0.25, 0.75)), 2) + 0.0  # −0.0 becomes 0.0
        rows.append(f"| {advice} | {words} | {len(left)} | {low:.2f} to {high:.2f} |")
    return rows


def _share(held: Iterable[bool]) -> str:
    values = list(held)
    return f"{100 * sum(values) / len(values):.0f}%"
