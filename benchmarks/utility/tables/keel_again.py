"""More classification tables of the KEEL collection: run once, and seen since.  Columns as UCI describes them."""

from __future__ import annotations

from benchmarks.utility.problem import Category, Column, Number
from benchmarks.utility.tables.keel import letters, numbers, table


def mixed(*columns: tuple[float, float] | tuple[str, ...]) -> tuple[Column, ...]:
    """Columns c0, c1, …: a pair of numbers is a range, words are levels."""
    return tuple(
        Category(f"c{place}", each) if isinstance(each[0], str) else Number(f"c{place}", *each)
        for place, each in enumerate(columns)
    )


def codes(last: int) -> tuple[str, ...]:
    """1, 2, …, as words."""
    return tuple(str(code) for code in range(1, last + 1))


SIGNS = ("negative", "positive")
FLAG = ("0", "1")
SEGMENT = (
    *[(0, 255)] * 2, (0, 9), *[(0, 1)] * 2, *[(0, 30)] * 4, *[(0, 255)] * 4, *[(-128, 128)] * 3, (0, 255), (0, 1),
    (-3.2, 3.2),
)  # fmt: skip
SEGMENT_USUAL = (
    *[(0, 255)] * 2, (0, 9), *[(0, 0.2)] * 2, *[(0, 5)] * 4, *[(0, 120)] * 4, *[(-40, 40)] * 3, (0, 120), (0, 1),
    (-3.2, 3.2),
)  # fmt: skip
"""Of a patch of an image: place, lines and edges in it, colours (of 255), differences of colours, value, saturation,
hue."""

YEAST_USUAL = ((0.2, 0.8), (0.2, 0.8), (0.3, 0.7), (0, 0.5), (0, 1), (0, 1), (0.3, 0.7), (0, 0.5))
ABALONE = (("M", "F", "I"), (0, 0.85), (0, 0.7), (0, 0.3), (0, 3), (0, 1.5), (0, 0.8), (0, 1))
"""Sex; then lengths in 200 mm and weights in 200 g of a shell that can be eaten."""

MAMMOGRAM = ((0, 6), (18, 96), codes(4), codes(5), (1, 4))
FAMILY = ((16, 49), (1, 4), (1, 4), (0, 12), FLAG, FLAG, codes(4), (1, 4), FLAG)
SURVEY = (
    codes(2), codes(5), (1, 7), (1, 6), codes(9), (1, 5), codes(3), (1, 9), (0, 9), codes(3), codes(5), codes(8),
    codes(3),
)  # fmt: skip
"""Sex, marital status, age, education, occupation, years in the area, two incomes, household, minors, householder,
kind of home, origin, language: codes of the questionnaire."""

SPECS = (
    table("banana", numbers(*[(-4, 4)] * 2, usual=((-2, 2),) * 2), ("-1.0", "1.0")),
    table("mammographic", mixed(*MAMMOGRAM), (0, 1)),
    table("wisconsin", numbers(*[(1, 10)] * 9), (2, 4)),
    table("tic-tac-toe", letters(("xob",) * 9), SIGNS),
    table("yeast1", numbers(*[(0, 1)] * 8, usual=YEAST_USUAL), SIGNS, "imbalanced"),
    table("abalone19", mixed(*ABALONE), SIGNS, "imbalanced"),
    table("contraceptive", mixed(*FAMILY), (1, 2, 3)),
    table("led7digit", mixed(*[(0, 1)] * 7), tuple(range(10))),
    table("segment", numbers(*SEGMENT, usual=SEGMENT_USUAL), tuple(range(1, 8))),
    table("splice", letters(("NACGT",) * 60), ("N", "EI", "IE")),
    table("marketing", mixed(*SURVEY), tuple(range(1, 10))),
)
