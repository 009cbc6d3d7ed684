"""Accuracy against ε: panels side by side, with lines to compare with."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.outside.report.svg import Scale, dot, line, path, picture, text, ticks

WIDTH, HEIGHT = 540.0, 360.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 14.0, 56.0, 52.0


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure at several ε, each with its standard error; `references` are (style, value)."""

    title: str
    measure: str
    epsilons: tuple[float, ...]
    means: tuple[float, ...]
    errors: tuple[float, ...]
    references: tuple[tuple[str, float], ...] = ()


def draw(panels: tuple[Panel, ...], legend: tuple[tuple[str, str], ...], alternative: str) -> str:
    """The panels in a row, under them what each line is: `legend` holds (style, words)."""
    wide = WIDTH * len(panels)
    parts = [piece for index, panel in enumerate(panels) for piece in _panel(panel, index * WIDTH)]
    parts += _legend(legend, wide, HEIGHT + 18)
    return picture(wide, HEIGHT + 30, parts, alternative)


def _panel(panel: Panel, left: float) -> list[str]:
    lows = [mean - error for mean, error in zip(panel.means, panel.errors, strict=True)]
    highs = [mean + error for mean, error in zip(panel.means, panel.errors, strict=True)]
    others = [value for _, value in panel.references]
    low, high = min([*lows, *others]), max([*highs, *others])
    room = 0.06 * (high - low or 1.0)
    across = Scale(min(panel.epsilons), max(panel.epsilons), left + LEFT + 12, left + WIDTH - RIGHT - 12, log=True)
    up = Scale(low - room, high + room, HEIGHT - BOTTOM, TOP)
    parts = _frame(panel, left, up) + _marks(panel.epsilons, across)
    edges = (left + LEFT, left + WIDTH - RIGHT)
    parts += [line(edges[0], up(value), edges[1], up(value), style) for style, value in panel.references]
    parts.append(path([(across(e), up(m)) for e, m in zip(panel.epsilons, panel.means, strict=True)], "line"))
    for epsilon, mean, bottom, top in zip(panel.epsilons, panel.means, lows, highs, strict=True):
        x = across(epsilon)
        parts += [line(x, up(bottom), x, up(top), "main", 2), dot(x, up(mean))]
    return parts


def _frame(panel: Panel, left: float, up: Scale) -> list[str]:
    middle = left + (LEFT + WIDTH - RIGHT) / 2
    parts = [
        text(middle, 20, panel.title, "middle", size=15),
        text(left + LEFT, TOP - 10, panel.measure, style="quiet"),
        text(middle, HEIGHT - 8, "ε, privacy loss (smaller is more private)", "middle", "quiet"),
    ]
    for value in ticks(up.low, up.high):
        parts.append(line(left + LEFT, up(value), left + WIDTH - RIGHT, up(value), "grid"))
        parts.append(text(left + LEFT - 8, up(value) + 4, f"{value:g}", "end"))
    return parts


def _marks(epsilons: tuple[float, ...], across: Scale) -> list[str]:
    """A mark at each ε, and a label unless it would run into the one before it."""
    parts, last = [], 0.0
    for epsilon in epsilons:
        x = across(epsilon)
        parts.append(line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, "axis"))
        if epsilon > 1.6 * last:
            parts.append(text(x, HEIGHT - BOTTOM + 20, f"{epsilon:g}", "middle"))
            last = epsilon
    return parts


def _legend(legend: tuple[tuple[str, str], ...], wide: float, y: float) -> list[str]:
    parts, x = [], wide / 2 - sum(46 + 7.2 * len(words) for _, words in legend) / 2
    for style, words in legend:
        parts += [line(x, y - 4, x + 30, y - 4, style), text(x + 36, y, words)]
        x += 46 + 7.2 * len(words)
    return parts
