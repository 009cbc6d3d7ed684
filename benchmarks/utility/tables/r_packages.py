"""Tables that were run once, and seen since: what R's packages are known for (pydataset), statsmodels, lifelines.

Ranges are by what the columns mean and by the documentation that comes with the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.utility.problem import SEEN, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_packed
from benchmarks.utility.tables.textbooks import flags

YES = ("no", "yes")


def r_table(name: str) -> Any:
    """A frame of R's packages; what is missing is written NA."""
    return read_packed("pydataset/resources.tar.gz", f"resources/rdata/csv/{name}.csv")


def answers(*names: str) -> tuple[Category, ...]:
    """Columns of yes and no."""
    return tuple(Category(name, YES) for name in names)


def diamonds() -> Problem:
    """Logarithm of the price in dollars, from weight and grades."""
    found = r_table("ggplot2/diamonds")
    found["log carat"] = np.log(found["carat"])
    columns: tuple[Column, ...] = (
        Number("log carat", -1.7, 1.7),
        Category("cut", ("Fair", "Good", "Very Good", "Premium", "Ideal")),
        Category("color", tuple("DEFGHIJ")),
        Category("clarity", ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF")),
        Number("depth", 40, 80, (56, 68)),
        Number("table", 40, 100, (50, 66)),
    )
    return of_frame("diamonds", found, columns, np.log(found["price"].to_numpy(float)), (5.5, 10.0))


def wives() -> Problem:
    """Hours that a wife works for pay in a week; many work none."""
    found = r_table("Ecdat/HI")
    schools = ("<9years", "9-11years", "12years", "13-15years", "16years", ">16years")
    columns: tuple[Column, ...] = (
        Category("education", schools),
        Category("race", ("white", "black", "other")),
        Category("region", ("other", "northcentral", "south", "west")),
        *answers("hhi", "hhi2", "hispanic"),
        Number("experience", 0, 60, (0, 40)),
        Number("kidslt6", 0, 6, (0, 2)),
        Number("kids618", 0, 8, (0, 3)),
        Number("husby", 0, 200, (0, 80)),
    )
    return of_frame("wives", found, columns, found["whrswk"].to_numpy(float), (0.0, 60.0))


def food() -> Problem:
    """Share of food in a Spanish household's spending."""
    found = r_table("Ecdat/BudgetFood")
    found["log totexp"] = np.log(found["totexp"].clip(lower=1))
    columns: tuple[Column, ...] = (
        Number("log totexp", 9, 17, (11.5, 15.5)),
        Number("age", 16, 100, (20, 80)),
        Number("size", 1, 15, (1, 7)),
        Category("town", (1, 2, 3, 4, 5)),
        Category("sex", ("man", "woman")),
    )
    return of_frame("food", found, columns, found["wfood"].to_numpy(float), (0.0, 1.0))


def computers() -> Problem:
    """Price of a personal computer of the nineties, in dollars."""
    found = r_table("Ecdat/Computers")
    columns: tuple[Column, ...] = (
        Number("speed", 25, 100),
        Number("hd", 0, 2500, (0, 1000)),
        Number("ram", 2, 32, (2, 24)),
        Number("screen", 14, 17),
        *answers("cd", "multi", "premium"),
        Number("ads", 0, 400),
        Number("trend", 1, 36),
    )
    return of_frame("computers", found, columns, found["price"].to_numpy(float), (500.0, 5500.0))


def doctor() -> Problem:
    """Visits to a doctor in a year, in the RAND insurance experiment; a third of all people had none."""
    found = r_table("Ecdat/DoctorContacts")
    columns: tuple[Column, ...] = (
        Number("lc", 0, 4.7),
        Number("lpi", 0, 7.5),
        Number("fmde", 0, 9),
        Number("ndisease", 0, 60, (0, 25)),
        Number("linc", 0, 11, (6, 11)),
        Number("lfam", 0, 3, (0, 2)),
        Number("educdec", 0, 25, (4, 20)),
        Number("age", 0, 65),
        Category("health", ("excellent", "good", "fair", "poor")),
        Category("sex", ("male", "female")),
        *(Category(name, ("False", "True")) for name in ("idp", "physlim", "child", "black")),
    )
    return of_frame("doctor", found, columns, found["mdu"].to_numpy(float), (0.0, 25.0))


def chains() -> Problem:
    """Did a person die within the years of a study of free light chains."""
    found = r_table("survival/flchain")
    columns: tuple[Column, ...] = (
        Number("age", 50, 105, (50, 95)),
        Category("sex", ("F", "M")),
        Number("sample.yr", 1995, 2003),
        Number("kappa", 0, 20, (0, 3)),
        Number("lambda", 0, 25, (0, 3)),
        Number("flc.grp", 1, 10),
        Number("creatinine", 0.3, 11, (0.5, 1.7)),
        *flags("mgus"),
    )
    return of_frame("chains", found, columns, found["death"].to_numpy(int))


def mortgage() -> Problem:
    """Was a mortgage denied in Boston."""
    found = r_table("Ecdat/Hdma")
    columns: tuple[Column, ...] = (
        Number("dir", 0, 3, (0, 0.7)),
        Number("hir", 0, 3, (0, 0.5)),
        Number("lvr", 0, 2, (0.4, 1.1)),
        Number("ccs", 1, 6),
        Number("mcs", 1, 4),
        *answers("pbcr", "dmi", "self", "single", "black"),
        Number("uria", 1, 11, (1, 7)),
        *flags("comdominiom"),
    )
    return of_frame("mortgage", found, columns, (found["deny"] == "yes").to_numpy().astype(int))


def chile() -> Problem:
    """Yes, no, undecided or abstention in the plebiscite of 1988, of those who answered."""
    found = r_table("car/Chile").dropna(subset=["vote"])
    found["log income"] = np.log(found["income"])
    columns: tuple[Column, ...] = (
        Category("region", ("C", "M", "N", "S", "SA")),
        Number("population", 0, 250_000),
        Category("sex", ("F", "M")),
        Number("age", 18, 70),
        Category("education", ("P", "S", "PS")),
        Number("log income", 7.5, 12.5),
        Number("statusquo", -2, 2),
    )
    y = found["vote"].map({"A": 0, "N": 1, "U": 2, "Y": 3}).to_numpy(int)
    return of_frame("chile", found, columns, y, classes=4)


def kindergarten() -> Problem:
    """Scaled score in mathematics, in Tennessee's experiment with small classes."""
    found = r_table("Ecdat/Star")
    columns: tuple[Column, ...] = (
        Category("classk", ("regular", "small.class", "regular.with.aide")),
        Number("totexpk", 0, 30, (0, 20)),
        Category("sex", ("boy", "girl")),
        *answers("freelunk"),
        Category("race", ("white", "black", "other")),
    )
    return of_frame("kindergarten", found, columns, found["tmathssk"].to_numpy(float), (300.0, 650.0))


def affairs() -> Problem:
    """Did a married woman who answered a magazine have an affair."""
    found = read("statsmodels/datasets/fair/fair.csv")
    columns: tuple[Column, ...] = (
        Number("rate_marriage", 1, 5),
        Number("age", 15, 45),
        Number("yrs_married", 0, 25),
        Number("children", 0, 6),
        Number("religious", 1, 4),
        Number("educ", 9, 20),
        *(Category(name, ("1.0", "2.0", "3.0", "4.0", "5.0", "6.0")) for name in ("occupation", "occupation_husb")),
    )
    for name in ("occupation", "occupation_husb"):
        found[name] = found[name].astype(float)
    return of_frame("affairs", found, columns, (found["affairs"] > 0).to_numpy().astype(int))


def hiv() -> Problem:
    """CD4 cells after twenty weeks of treatment."""
    found = read("lifelines/datasets/ACTG175.csv")
    columns: tuple[Column, ...] = (
        Number("age", 12, 75, (18, 60)),
        Number("wtkg", 30, 160, (45, 105)),
        Number("karnof", 70, 100),
        Number("preanti", 0, 3000, (0, 1200)),
        Number("cd40", 0, 1200, (100, 600)),
        Number("cd80", 0, 5000, (200, 1800)),
        Category("arms", (0, 1, 2, 3)),
        *flags("hemo", "homo", "drugs", "oprior", "z30", "race", "gender", "str2", "symptom"),
    )
    return of_frame("hiv", found, columns, found["cd420"].to_numpy(float), (0.0, 1000.0))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, SEEN, source, load) for load in loads)


SPECS = (
    *_specs("pydataset", diamonds, wives, food, computers, doctor, chains, mortgage, chile, kindergarten),
    *_specs("statsmodels", affairs),
    *_specs("lifelines", hiv),
)
