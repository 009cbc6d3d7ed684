"""Claimed against measured: one row for each audit, the claim as a mark and what was proved as a bar up to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equipoise._checks import not_negative
from equipoise._docs import documented
from equipoise.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, VERMILION, BLACK = "#0072B2", "#D55E00", "#000000"


@documented()
@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody says ε is, and the lower bound an audit proved."""

    name: str
    claimed: float
    measured: float

    @property
    def survived(self) -> bool:
        """Whether the audit proved no more than was claimed: not refuted, which is not proved."""
        return self.measured <= self.claimed


@documented(returns="matplotlib figure: To be saved or shown.")
def plot(claims: Sequence[Claim], title: str = "Claimed against measured ε") -> Figure:
    """A matplotlib figure; it needs the `plots` extra.  `figure.savefig(...)` writes it."""
    from matplotlib.figure import Figure  # an extra: the audit itself must run without it

    if not claims:
        raise InvalidInput("claims: give at least one")
    for claim in claims:
        not_negative(claimed=claim.claimed)
        not_negative(measured=claim.measured)
    figure = Figure(figsize=(9, 1.6 + 0.42 * len(claims)), dpi=150, layout="constrained")
    axes = figure.subplots()
    places = list(range(len(claims)))
    colours = [BLUE if claim.survived else VERMILION for claim in claims]
    axes.barh(places, [claim.measured for claim in claims], color=colours, height=0.55, label="proved by the audit")
    axes.scatter(
        [claim.claimed for claim in claims], places, marker="|", s=260, linewidths=2.5, color=BLACK, label="claimed"
    )
    names = [claim.name if claim.survived else f"{claim.name}: REFUTED" for claim in claims]
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("ε (a bar beyond its mark refutes the claim)")
    axes.set_title(title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="best", frameon=False)
    return figure
