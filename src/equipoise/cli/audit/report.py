"""The audit's report: one HTML page to be filed, the same as JSON, and the picture of claimed against measured."""

from __future__ import annotations

import html
import json
import math
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from equipoise.audit.plots import Claim, plot
from equipoise.audit.verdict import BROKEN, SURVIVED, Attempt, Audit
from equipoise.outside.files import write_whole
from equipoise.outside.pages import readable
from equipoise.outside.report.picture import image, png
from equipoise.outside.report.sheet import page as whole_page

STYLE = """
.verdict { border-radius: 8px; padding: .8rem 1.2rem; font-size: 1.15rem; margin: 1.2rem 0; }
.held { background: var(--good-tint); border: 2px solid var(--good); }
.broken { background: var(--warn-tint); border: 2px solid var(--warn); }
td.outcome { font-weight: 600; white-space: nowrap; } td.number { font-variant-numeric: tabular-nums; }
"""

MEANS = (
    "An audit can refute a claim of privacy. It cannot prove one: an attack that failed may be a weak attack. The proof"
    " is what the claim cites.",
    "ε proved from samples is a lower bound at the stated confidence, for the neighbouring tables named. ε computed"
    " from a law is exact for those tables.",
    "Running time, memory, logs and whatever else a machine gives away were not looked at; nor were rows that belong to"
    " one person, or other releases from the same records.",
)


FILES = "audit.html", "audit.json", "audit.png"


def write_report(out: Path, audit: Audit) -> list[str]:
    """Write everything into the folder; the names of the files."""
    picture = draw(audit)
    write_whole(out / "audit.json", json.dumps(filed(audit), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    write_whole(out / "audit.html", page(audit, picture))
    if picture is None:
        return [*FILES[:2]]
    (out / "audit.png").write_bytes(picture)
    return [*FILES]


def filed(audit: Audit) -> dict[str, Any]:
    """The audit as plain data, with when and by which version it was made."""
    return {**audit.to_json(), "made": _now(), "equipoise": version("equipoise")}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def draw(audit: Audit) -> bytes | None:
    """A bar for every attempt that came to an ε; None where none did, or where nothing is there to draw with."""
    shown = [each for each in audit.attempts if each.measured is not None and each.claimed is not None]
    finite = [each for each in shown if math.isfinite(each.claimed or 0.0)]
    if not finite:
        return None
    claims = [Claim(each.name, each.claimed or 0.0, _within(each)) for each in finite]
    try:
        figure = plot(claims)
    except ModuleNotFoundError:  # an extra: the audit and its pages need no picture
        return None
    axes = figure.axes[0]
    inside = axes.get_legend()
    if inside is not None:
        inside.remove()  # it would lie on the bars: few and long ones
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return png(figure)


def _within(attempt: Attempt) -> float:
    """A picture cannot show infinity: three times the claim stands for anything beyond."""
    return min(attempt.measured or 0.0, 3 * (attempt.claimed or 1.0))


def page(audit: Audit, picture: bytes | None) -> str:
    """The whole report."""
    parts = [
        f"<h1>Privacy audit of {html.escape(audit.statement.subject)}</h1>",
        f"<p class='lead'>Made on {_now()} by equipoise {html.escape(version('equipoise'))}.</p>",
        _verdict(audit),
        f"<h2>The claim</h2>{_rows(_claim(audit))}",
        f"<h2>What was tried</h2>{_tried(audit)}",
    ]
    if picture is not None:
        parts.append(f"<h2>Claimed against measured</h2>{image(picture, _alternative(audit))}")
    if audit.settings:
        shown = [(name, str(value)) for name, value in audit.settings.items()]
        parts.append(f"<h2>Settings of the audit</h2>{_rows(shown)}")
    parts.append(f"<h2>How to read this</h2><ul>{''.join(f'<li>{html.escape(line)}</li>' for line in MEANS)}</ul>")
    return whole_page(f"Privacy audit of {audit.statement.subject}", parts, STYLE)


def _verdict(audit: Audit) -> str:
    strongest = audit.strongest
    told = f"<p class='verdict {'held' if audit.survived else 'broken'}'><strong>{html.escape(audit.words)}</strong>"
    if strongest is not None:
        told += f"<br>Strongest attack: {html.escape(strongest.name)}. {html.escape(strongest.told)}"
    return f"{told}</p>"


def _claim(audit: Audit) -> list[tuple[str, str]]:
    claim = audit.statement
    known = [
        ("subject", f"{claim.subject} ({claim.kind})"),
        ("ε", readable(claim.epsilon)),
        ("δ", readable(claim.delta)),
        ("adjacency", claim.adjacency),
        ("unit of privacy", claim.unit),
        ("mechanism", claim.mechanism),
        ("theorem", claim.theorem),
        *claim.details,
    ]
    return [(name, value) for name, value in known if value]


def _rows(rows: list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th scope='row'>{html.escape(a)}</th><td>{html.escape(b)}</td></tr>" for a, b in rows)
    return f"<table>{cells}</table>"


def _tried(audit: Audit) -> str:
    head = "".join(f"<th scope='col'>{name}</th>" for name in ("attempt", "outcome", "ε measured", "what came out"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_line, audit.attempts))}</tbody></table>"


def _line(attempt: Attempt) -> str:
    marks = {SURVIVED: "✓ ", BROKEN: "✗ "}
    measured = "" if attempt.measured is None else readable(attempt.measured, 4)
    told = f"{attempt.told} Neighbours: {attempt.pair}." if attempt.pair else attempt.told
    return (
        f"<tr><th scope='row'>{html.escape(attempt.name)}</th>"
        f"<td class='outcome'>{marks.get(attempt.outcome, '')}{attempt.outcome}</td>"
        f"<td class='number'>{measured}</td><td>{html.escape(told)}</td></tr>"
    )


def _alternative(audit: Audit) -> str:
    told = [
        f"{each.name}: {readable(each.measured, 4)} of {readable(each.claimed or 0.0, 4)} claimed"
        for each in audit.attempts
        if each.measured is not None
    ]
    return "; ".join(told)
