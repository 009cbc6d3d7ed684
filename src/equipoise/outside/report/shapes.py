"""One column's effect as a curve with a band: what an additive model learnt."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.outside.report.svg import Scale, line, path, picture, text, ticks

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 360.0, 230.0, 46.0, 12.0, 30.0, 36.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Effect against value, with a band where it is known; `unit` stands under the axis."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    unit: str = ""


def draw(shape: Shape) -> str:
    """A small picture; several stand side by side."""
    heights = [0.0, *shape.ys, *shape.low, *shape.high]
    room = 0.05 * (max(heights) - min(heights) or 1.0)
    across = Scale(min(shape.xs), max(shape.xs), LEFT, WIDTH - RIGHT)
    up = Scale(min(heights) - room, max(heights) + room, HEIGHT - BOTTOM, TOP)
    parts = [text(LEFT, 18, shape.name, size=14)]
    for value in ticks(up.low, up.high, 4):
        parts.append(line(LEFT, up(value), WIDTH - RIGHT, up(value), "grid"))
        parts.append(text(LEFT - 6, up(value) + 4, f"{value:g}", "end"))
    for value in ticks(across.low, across.high, 4):
        parts.append(text(across(value), HEIGHT - BOTTOM + 16, f"{value:g}", "middle"))
    parts.append(line(LEFT, up(0.0), WIDTH - RIGHT, up(0.0), "axis"))
    if shape.low and shape.high:
        there = [(across(x), up(y)) for x, y in zip(shape.xs, shape.high, strict=True)]
        back = [(across(x), up(y)) for x, y in zip(shape.xs, shape.low, strict=True)]
        parts.append(path([*there, *reversed(back)], "band", closed=True))
    parts.append(path([(across(x), up(y)) for x, y in zip(shape.xs, shape.ys, strict=True)], "line"))
    if shape.unit:
        parts.append(text(WIDTH - RIGHT, HEIGHT - 4, shape.unit, "end", "quiet"))
    return picture(WIDTH, HEIGHT, parts, f"Effect of {shape.name}")
