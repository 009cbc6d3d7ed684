"""Coefficients as marks with intervals, one under the other, around a line at nothing."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.outside.report.svg import Scale, dot, line, picture, text, ticks

WIDTH, LEFT, RIGHT, ROW, TOP, BOTTOM = 760.0, 250.0, 20.0, 24.0, 14.0, 34.0
MOST = 40
"""Marks in one picture; the table beside it has all."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A released number and, where it is known, the interval that goes with it."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    unit: str = ""


def draw(effects: tuple[Effect, ...], alternative: str) -> str:
    """The largest ones, highest first."""
    shown = largest(effects)
    edges = [0.0, *(edge for each in shown for edge in (each.low, each.high, each.value) if edge is not None)]
    room = 0.04 * (max(edges) - min(edges) or 1.0)
    height = TOP + ROW * len(shown) + BOTTOM
    across = Scale(min(edges) - room, max(edges) + room, LEFT, WIDTH - RIGHT)
    foot = height - BOTTOM
    parts = []
    for value in ticks(across.low, across.high):
        parts += [line(across(value), TOP, across(value), foot, "grid")]
        parts.append(text(across(value), foot + 18, f"{value:g}", "middle"))
    parts.append(line(across(0.0), TOP, across(0.0), foot, "axis", 1.4))
    for place, each in enumerate(shown):
        parts += _row(each, TOP + ROW * (place + 0.5), across)
    return picture(WIDTH, height, parts, alternative)


def largest(effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """As many as a picture holds, those farthest from nothing, from the highest to the lowest."""
    chosen = sorted(effects, key=lambda each: -abs(each.value))[:MOST]
    return tuple(sorted(chosen, key=lambda each: -each.value))


def _row(effect: Effect, y: float, across: Scale) -> list[str]:
    name = effect.name if len(effect.name) <= 36 else f"{effect.name[:35]}…"
    parts = [text(LEFT - 12, y + 4, name, "end")]
    if effect.low is not None and effect.high is not None:
        parts.append(line(across(effect.low), y, across(effect.high), y, "main", 2))
    return [*parts, dot(across(effect.value), y)]
