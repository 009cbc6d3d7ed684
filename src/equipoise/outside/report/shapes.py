"""One column's effect as a curve with a band: what an additive model learnt."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.outside.pages import readable
from equipoise.outside.report.svg import Scale, line, path, picture, text, ticks

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 360.0, 230.0, 46.0, 12.0, 30.0, 36.0
ROOM = 24.0
"""Of half a number under the axis."""
MARKS = 4
MOST_DIGITS = 1e6
DIGIT = 7.0
"""Width of one, about."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Effect against value, with a band where it is known; `unit` stands under the axis.

    `at` places the values along another scale than a straight one, as logarithms do; `marks` are (place, value).
    """

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    unit: str = ""
    at: tuple[float, ...] = ()
    marks: tuple[tuple[float, float], ...] = ()


def draw(shape: Shape) -> str:
    """A small picture; several stand side by side."""
    heights = [0.0, *shape.ys, *shape.low, *shape.high]
    room = 0.05 * (max(heights) - min(heights) or 1.0)
    places = shape.at or shape.xs
    across = Scale(min(places), max(places), LEFT, WIDTH - RIGHT)
    up = Scale(min(heights) - room, max(heights) + room, HEIGHT - BOTTOM, TOP)
    parts = [text(LEFT, 18, shape.name, size=14)]
    for value in ticks(up.low, up.high, 4):
        parts.append(line(LEFT, up(value), WIDTH - RIGHT, up(value), "grid"))
        parts.append(text(LEFT - 6, up(value) + 4, f"{value:g}", "end"))
    for place, value in _apart(across, shape.marks) if shape.marks else _marks(shape):
        anchor = "middle" if across(place) < WIDTH - RIGHT - ROOM else "end"
        parts.append(text(across(place), HEIGHT - BOTTOM + 16, _said(value), anchor))
    parts.append(line(LEFT, up(0.0), WIDTH - RIGHT, up(0.0), "axis"))
    if shape.low and shape.high:
        there = [(across(x), up(y)) for x, y in zip(places, shape.high, strict=True)]
        back = [(across(x), up(y)) for x, y in zip(places, shape.low, strict=True)]
        parts.append(path([*there, *reversed(back)], "band", closed=True))
    parts.append(path([(across(x), up(y)) for x, y in zip(places, shape.ys, strict=True)], "line"))
    if shape.unit:
        parts.append(text(WIDTH - RIGHT, HEIGHT - 4, shape.unit, "end", "quiet"))
    return picture(WIDTH, HEIGHT, parts, f"Effect of {shape.name}")


def _said(value: float) -> str:
    """Short enough to stand beside others."""
    short = float(f"{value:.3g}")
    return f"{short:g}" if abs(short) < MOST_DIGITS else readable(short, 3)


def _apart(across: Scale, marks: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
    """Those that do not run into each other; the ends are always among them."""
    wide = [len(_said(value)) * DIGIT for _, value in marks]
    last = across(marks[-1][0]) - wide[-1] - DIGIT  # which ends at its place
    kept: list[tuple[float, float]] = []
    free = -1.0
    for (place, value), width in zip(marks[:-1], wide, strict=False):
        left, right = across(place) - width / 2, across(place) + width / 2
        if not kept or (left >= free and right <= last):
            kept.append((place, value))
            free = right + DIGIT
    return [*kept, marks[-1]]


def _marks(shape: Shape) -> list[tuple[float, float]]:
    """Where numbers stand under the axis: round ones, or on another scale those of a few knots."""
    if not shape.at:
        return [(value, value) for value in ticks(min(shape.xs), max(shape.xs), MARKS)]
    last = len(shape.xs) - 1
    chosen = sorted({round(place * last / MARKS) for place in range(MARKS + 1)})
    return [(shape.at[place], shape.xs[place]) for place in chosen]
