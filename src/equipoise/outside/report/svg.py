"""Pictures as SVG text: no library, no font file, colours that follow the page from light to dark and onto paper."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

LIGHT = """
svg { width: 100%; height: auto; font: 13px system-ui, sans-serif; color: #1b1b1b; }
svg text { fill: currentColor; } svg .quiet { opacity: .75; } svg .grid { stroke: currentColor; opacity: .16; }
svg .axis { stroke: currentColor; opacity: .45; } svg .main { stroke: #0072B2; fill: #0072B2; }
svg .line { fill: none; stroke: #0072B2; stroke-width: 2.2; } svg .band { fill: #0072B2; opacity: .18; stroke: none; }
svg .open { stroke: currentColor; stroke-dasharray: 7 4; stroke-width: 1.6; fill: none; }
svg .guess { stroke: #D55E00; stroke-dasharray: 2 4; stroke-width: 2.4; fill: none; }
"""
"""Okabe and Ito's colours: told apart by every kind of eye, and by dashes without any."""

STYLE = (
    LIGHT
    + """
@media (prefers-color-scheme: dark) { svg { color: #e8e8e8; } svg .main, svg .line { stroke: #56B4E9; }
  svg .main { fill: #56B4E9; } svg .band { fill: #56B4E9; opacity: .25; } svg .guess { stroke: #f0905a; } }
@media print { svg { color: #000; } svg .main, svg .line { stroke: #0072B2; } svg .main { fill: #0072B2; } }
"""
)
"""For a page, which may be dark."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From a value to a place in the picture; `log` for values above zero."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high, here = (math.log(x) if self.log else x for x in (self.low, self.high, value))
        share = 0.5 if high == low else (here - low) / (high - low)
        return self.start + min(max(share, -0.1), 1.1) * (self.end - self.start)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers from `low` to `high`, at least about so many: an axis of two numbers cannot be read."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low]
    rough = (high - low) / (about - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((power * size for size in (5, 2.5, 2) if power * size <= rough), power)
    first = math.ceil(low / step - 1e-9)
    return [round(index * step, 12) for index in range(first, math.floor(high / step + 1e-9) + 1)]


def text(x: float, y: float, words: str, anchor: str = "start", style: str = "", size: float | None = None) -> str:
    """A line of words; escaped."""
    more = f" font-size='{size:g}'" if size else ""
    named = f" class='{style}'" if style else ""
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'{named}{more}>{html.escape(words)}</text>"


def line(x1: float, y1: float, x2: float, y2: float, style: str, width: float | None = None) -> str:
    """A straight one."""
    more = f" stroke-width='{width:g}'" if width else ""
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' class='{style}'{more}/>"


def dot(x: float, y: float, style: str = "main", radius: float = 4.0) -> str:
    """A mark."""
    return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius:g}' class='{style}'/>"


def path(points: list[tuple[float, float]], style: str, closed: bool = False) -> str:
    """A line through points, or the area inside them."""
    drawn = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f"<path d='M{drawn}{'Z' if closed else ''}' class='{style}'/>"


def picture(width: float, height: float, parts: list[str], alternative: str) -> str:
    """The whole picture, with words for who cannot see it."""
    told = html.escape(alternative, quote=True)
    head = f"<svg viewBox='0 0 {width:g} {height:g}' role='img' aria-label='{told}'>"
    return "\n".join([head, *parts, "</svg>"])


def alone(drawing: str) -> str:
    """A file of its own: the picture with its style inside, on white."""
    head, rest = drawing.split(">", 1)
    inside = f"<style>{LIGHT}</style><rect width='100%' height='100%' fill='#fff'/>"
    return f"{head} xmlns='http://www.w3.org/2000/svg' width='1100'>{inside}{rest}\n"
