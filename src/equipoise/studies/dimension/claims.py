"""The claims of Jain and Thakurta 2014 about dimension, each checked against what was measured."""

from __future__ import annotations

import math

from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN, Claim
from equipoise.studies.dimension.data import PLANTED
from equipoise.studies.dimension.methods import BY_KEY
from equipoise.studies.dimension.runs import EPSILON, EXPERTS, LEADERS, ROUNDS, USUAL_EXPERTS, USUAL_ROUNDS, WIDENED
from equipoise.studies.dimension.summary import Summary

COD = "Cod-RNA"
FLAT, FALL, NEAR = 2.0, 5.0, 5.0
"""Points of accuracy: how much is flat, how much a fall, how close is near."""

STEADY = 2.0
"""By how much regret over √(T log p) may differ between the ends."""


def check_claims(summary: Summary) -> tuple[Claim, ...]:
    """Width, then ε, then experts."""
    return (
        flat(summary),
        falls(summary),
        objective_wins(summary),
        draws_are_near(summary, COD),
        draws_are_near(summary, PLANTED),
        *(regret_grows(summary, part, key) for part in (ROUNDS, EXPERTS) for key in LEADERS),
    )


def _change(summary: Summary, key: str) -> float | None:
    """Accuracy at the widest table less that at the narrowest."""
    levels = summary.levels(WIDENED)
    ends = [summary.get(WIDENED, COD, key, level) for level in (levels[:1] + levels[-1:])]
    first, last = ends if len(ends) == 2 else (None, None)
    return None if first is None or last is None else last.mean - first.mean


def _told(changes: dict[str, float]) -> str:
    return "; ".join(f"{BY_KEY[key].label} {change:+.1f}" for key, change in changes.items()) or "nothing"


def _changes(summary: Summary, keys: tuple[str, ...]) -> dict[str, float]:
    found = {key: _change(summary, key) for key in keys}
    return {key: change for key, change in found.items() if change is not None}


def flat(summary: Summary) -> Claim:
    """Gaussian noise does not feel appended columns."""
    changes = _changes(summary, ("output-gauss", "objective-gauss"))
    holds = changes and max(abs(change) for change in changes.values()) <= FLAT
    return Claim(
        "Gaussian output and objective perturbation do not get worse with columns of zeros",
        "excess risk free of the dimension",
        f"accuracy on the widest Cod-RNA within {FLAT:g} points of that on the narrowest",
        _told(changes),
        (HOLDS if holds else FAILS) if changes else UNKNOWN,
    )


def falls(summary: Summary) -> Claim:
    """Spherical noise does."""
    changes = _changes(summary, ("output-gamma", "objective-gamma"))
    holds = changes and max(changes.values()) <= -FALL
    return Claim(
        "With Gamma noise they do",
        "the noise grows with the dimension",
        f"accuracy on the widest Cod-RNA at least {FALL:g} points below that on the narrowest, for both",
        _told(changes),
        (HOLDS if holds else FAILS) if changes else UNKNOWN,
    )


def objective_wins(summary: Summary) -> Claim:
    """With Gaussian noise, over tables and ε."""
    gains = []
    for table in summary.tables():
        for level in summary.levels(EPSILON):
            pair = [summary.get(EPSILON, table, key, level) for key in ("objective-gauss", "output-gauss")]
            if pair[0] is not None and pair[1] is not None:
                gains.append(pair[0].mean - pair[1].mean)
    mean = math.fsum(gains) / len(gains) if gains else 0.0
    return Claim(
        "Objective perturbation is more accurate than output perturbation",
        "better in the experiments",
        "mean gain over all tables and ε above 0, with Gaussian noise and one ridge",
        f"{mean:+.2f} points over {len(gains)} places" if gains else "nothing",
        (HOLDS if mean > 0 else FAILS) if gains else UNKNOWN,
    )


def draws_are_near(summary: Summary, table: str) -> Claim:
    """At the widest table, against the best over the same L1 ball; that over all coefficients is told beside it."""
    level = summary.levels(WIDENED)[-1:]
    ours, ball, free = (
        summary.get(WIDENED, table, key, level[0]) if level else None for key in ("sample", "ball", "open")
    )
    about = "labels that hang on few columns" if table == PLANTED else "labels that hang on all of them"
    statement = f"Drawn models come near the one without privacy at many columns: {table}, {about}"
    paper, rule = (
        "near non-private at large dimension, ε = 10, δ = 10⁻³",
        f"within {NEAR:g} points over the same L1 ball",
    )
    if ours is None or ball is None:
        return Claim(statement, paper, rule, "nothing", UNKNOWN)
    beside = "" if free is None else f"; {free.mean:.1f} without the ball"
    return Claim(
        statement,
        paper,
        rule,
        f"{ours.mean:.1f} against {ball.mean:.1f} at {level[0]:,.0f} columns{beside}",
        HOLDS if ball.mean - ours.mean <= NEAR else FAILS,
    )


def regret_grows(summary: Summary, part: str, key: str) -> Claim:
    """Regret over √(T log p), from one end to the other."""
    found = {}
    for level in summary.levels(part):
        cell = summary.get(part, "experts", key, level, "regret")
        rounds, experts = (level, USUAL_EXPERTS) if part == ROUNDS else (USUAL_ROUNDS, level)
        if cell is not None and cell.mean > 0:
            found[level] = cell.mean / math.sqrt(rounds * math.log(experts))
    steady = found and max(found.values()) <= STEADY * min(found.values())
    return Claim(
        f"Regret grows like √(T log p), against the number of {part}, ε = {LEADERS[key][0]:g}",
        "O(√(T log p)) up to privacy's part",
        f"regret/√(T log p) changes by a factor of at most {STEADY:g} over the range",
        "; ".join(f"{level:,.0f}: {value:.2f}" for level, value in found.items()) or "nothing",
        (HOLDS if steady else FAILS) if len(found) > 1 else UNKNOWN,
    )
