"""A plan as a page, for whoever has to agree to it before anything is spent."""

from __future__ import annotations

import html
from dataclasses import dataclass

from equipoise.outside import promise
from equipoise.outside.card_words import delta_of
from equipoise.outside.pages import readable
from equipoise.outside.report import sheet
from equipoise.outside.report.facts import about_columns
from equipoise.outside.report.papers import papers
from equipoise.schema import Schema
from equipoise.theory.guarantees import Guarantee


@dataclass(frozen=True, slots=True)
class PlanPage:
    """Public facts alone: no record was looked at."""

    plan: str
    guarantee: Guarantee
    schema: Schema
    expected: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]

    def html(self) -> str:
        """The whole page."""
        name, sentence = promise.level(self.guarantee)
        words = promise.in_words(self.guarantee, self.guarantee.constants.get("records"))
        price = f"ε = {readable(self.guarantee.epsilon)}, δ = {readable(delta_of(self.guarantee))}"
        style = "warning" if promise.poor(self.guarantee) else "promise"
        made = ", ".join(f"{package} {number}" for package, number in self.versions)
        parts = [
            "<h1>A release that is planned</h1>",
            "<p class='lead'>Nothing has been spent and no record has been looked at."
            f" Made with {html.escape(made)}.</p>",
            f"<h2>What would be promised</h2><div class='{style}'><p><strong>"
            f"{name.capitalize()}</strong> ({price}): {html.escape(sentence)}</p>{_paragraphs(words)}</div>",
            f"<h2>What it is expected to be worth</h2>{_paragraphs(self.expected)}" if self.expected else "",
            f"<h2>Every constant</h2><pre>{html.escape(self.plan)}</pre>",
            f"<h2>Bounds and encoding</h2>{about_columns(self.schema)}",
            f"<h2>Papers</h2>{_paragraphs(papers(self.guarantee.mechanism))}",
        ]
        return sheet.page("A release that is planned", [part for part in parts if part])


def _paragraphs(lines: tuple[str, ...]) -> str:
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)
