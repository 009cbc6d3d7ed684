"""A published claim, the rule by which it is judged here, and what was found."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "not measured"
CANNOT_TELL = "cannot tell"
"""Of a run with fewer levels and repeats than the study asks for: what it did not see may still be there."""

STYLE = """
.claims td, .claims th { font-size: .92rem; }
.claims td:last-child { white-space: nowrap; font-weight: 600; }
.holds { color: var(--good); } .fails { color: var(--warn); } .unknown { color: var(--soft); }
.wide .numbers td, .wide .numbers thead th:not(:first-child) { padding-left: .7rem; padding-right: .2rem; }
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """What the paper says, how it is judged here, what was found."""

    statement: str
    paper: str
    rule: str
    measured: str
    verdict: str


def as_measured(claims: tuple[Claim, ...], whole: bool) -> tuple[Claim, ...]:
    """The verdicts of a whole study; a quick run may confirm a claim by its rule, but cannot refute one."""
    if whole:
        return claims
    return tuple(replace(each, verdict=CANNOT_TELL) if each.verdict == FAILS else each for each in claims)


def as_table(claims: tuple[Claim, ...]) -> str:
    """For a report."""
    styles = {HOLDS: "holds", FAILS: "fails"}
    head = "".join(f"<th scope='col'>{name}</th>" for name in ("Claim", "Paper", "Rule here", "Measured", "Verdict"))
    rows = [
        "<tr>"
        + "".join(f"<td>{html.escape(text)}</td>" for text in _cells(claim))
        + f"<td class='{styles.get(claim.verdict, 'unknown')}'>{claim.verdict}</td></tr>"
        for claim in claims
    ]
    return (
        "<h2>The paper's claims, checked</h2><div class='wide'><table class='claims'>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cells(claim: Claim) -> tuple[str, str, str, str]:
    return claim.statement, claim.paper, claim.rule, claim.measured
