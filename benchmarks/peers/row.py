"""One row of the table: what was claimed, what was measured, and the same question put to Equipoise."""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.audit import LowerBound

CONFIDENCE = 0.99

OUR_DRAWS = 1000
"""Fits of Equipoise on each data set, at most: they take longer, and no claim is to be refuted."""


@dataclass(frozen=True, slots=True)
class Row:
    """`exact` follows from the output law, `measured` is a lower bound from draws; nan: not computed."""

    case: str
    package: str
    subject: str
    reference: str
    claimed: float
    delta: float = 0.0
    exact: float = math.nan
    measured: float = math.nan
    draws: int = 0
    confidence: float = math.nan
    equipoise_claimed: float = math.nan
    equipoise_exact: float = math.nan
    equipoise_measured: float = math.nan
    equipoise_draws: int = 0
    how: str = ""
    seconds: float = 0.0

    @property
    def command(self) -> str:
        return f"python benchmarks/peers/run.py --only {self.case}"


def shown(value: float) -> str:
    """A figure for a reader."""
    if math.isnan(value):
        return "–"
    return "unbounded" if math.isinf(value) else f"{value:.3g}"


def rates(found: LowerBound) -> str:
    """The event behind a bound, in words."""
    raised = (
        f"; raised {found.left_raised} and {found.right_raised} times" if found.left_raised + found.right_raised else ""
    )
    return f"event seen in {found.left_rate:.4f} and {found.right_rate:.4f} of the tested draws{raised}"


def markdown(rows: list[Row]) -> str:
    """The table of docs/explanation/peers.md, and how each figure was found."""
    lines = [
        "| case | package | what | claimed ε | exact | lower bound (draws) | Equipoise claims | exact | lower bound |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        counts = [f" ({count})" if count else "" for count in (row.draws, row.equipoise_draws)]
        cells = [
            f"`{row.case}`",
            row.package,
            row.subject,
            shown(row.claimed) + (f" at δ = {row.delta:g}" if row.delta else ""),
            shown(row.exact),
            shown(row.measured) + counts[0],
            shown(row.equipoise_claimed),
            shown(row.equipoise_exact),
            shown(row.equipoise_measured) + counts[1],
        ]
        lines.append("| " + " | ".join(cells) + " |")
    notes = [f"- `{row.case}` ({row.reference}): {row.how}." for row in rows]
    return "\n".join([*lines, "", *notes]) + "\n"
