"""The kept score as a page of the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.sabotage.defect import Defect

HEAD = """# Sabotage: defects the tests must notice

Each row is a plausible mistake in the library. `make sabotage` puts it into a running copy, by changing a module's text
while it is imported (of compiled passes, by compiling a changed text), and runs the tests named for it: one of them
must fail, and must pass when nothing is broken. A
run that crashes or changes nothing counts as missed. The last line printed is the score, with the missed ones named
above it.

A new mechanism brings its own rows (`tests/sabotage/`, one file per area). This page is written by
`python -m tests.sabotage.runner --write docs/reference/sabotage.md`; a run of some defects keeps the rows of others.
"""


def score_page(outcomes: Sequence[tuple[Defect, str | None]]) -> str:
    """Markdown: the score, then a table for each area.  None where a defect was not tried."""
    caught, tried = sum(1 for _, test in outcomes if test), sum(1 for _, test in outcomes if test is not None)
    left = "" if tried == len(outcomes) else f" {len(outcomes) - tried} are new and not tried yet."
    lines = [HEAD, f"**Caught {caught}/{tried}.**{left}", ""]
    for area in dict.fromkeys(defect.area for defect, _ in outcomes):
        lines += [f"## {area.capitalize()}", "", "| defect | what is broken | what it would cost | caught by |"]
        lines.append("|---|---|---|---|")
        lines += [_row(defect, test) for defect, test in outcomes if defect.area == area]
        lines.append("")
    return "\n".join(lines)


def kept(page: str) -> dict[str, str]:
    """By the name of a defect, the test that caught it when the page was written; nothing where none did."""
    rows = re.findall(r"^\| ([a-z0-9-]+) \|.*\| (?:`([^`]+)` in `([^`]+)`|\*\*missed\*\*) \|$", page, flags=re.M)
    return {name: f"{file}::{test}" if file else "" for name, test, file in rows}


def _row(defect: Defect, test: str | None) -> str:
    place = (test or "").removeprefix("tests/").partition("[")[0]
    file, _, name = place.partition("::")
    seen = "not tried yet" if test is None else f"`{name}` in `{file}`" if name else "**missed**"
    return f"| {defect.name} | {_cell(defect.broken)} | {_cell(defect.harm)} | {seen} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
