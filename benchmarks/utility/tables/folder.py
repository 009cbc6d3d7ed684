"""Tables of the data folder, which `EQUIPOISE_DATA` names (default: ../shared/data)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.utility.problem import DESIGN, SEEN, Array, Category, Column, Number, Problem, Spec, cut, tabular
from equipoise.errors import InvalidInput
from equipoise.studies.tuning.data import MAGIC_MIDDLES

ADULT: tuple[Column, ...] = (
    Number("age", 17, 90),
    Number("education-num", 1, 16),
    Number("hours-per-week", 1, 99),
    Number("log capital-gain", 0, 11.6),
    Number("log capital-loss", 0, 8.4),
    Category("workclass", ("?", "Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov",
                           "Without-pay", "Never-worked")),
    Category("education", ("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad",
                           "Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school",
                           "Doctorate")),
    Category("marital-status", ("Never-married", "Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent",
                                "Separated", "Divorced", "Widowed")),
    Category("occupation", ("?", "Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial",
                            "Prof-specialty", "Handlers-cleaners", "Machine-op-inspct", "Adm-clerical",
                            "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv",
                            "Armed-Forces")),
    Category("relationship", ("Not-in-family", "Husband", "Wife", "Own-child", "Unmarried", "Other-relative")),
    Category("race", ("White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other")),
    Category("sex", ("Male", "Female")),
    Category("native-country", (
        "?", "United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany",
        "Outlying-US(Guam-USVI-etc)", "India", "Japan", "Greece", "South", "China", "Cuba", "Iran", "Honduras",
        "Philippines", "Italy", "Poland", "Jamaica", "Vietnam", "Mexico", "Portugal", "Ireland", "France",
        "Dominican-Republic", "Laos", "Ecuador", "Taiwan", "Haiti", "Columbia", "Hungary", "Guatemala", "Nicaragua",
        "Scotland", "Thailand", "Yugoslavia", "El-Salvador", "Trinadad&Tobago", "Peru", "Hong", "Holand-Netherlands",
    )),
)  # fmt: skip
"""Ranges and levels of the census's own documentation."""

GENES = {
    "VKORC1 -1639 consensus": ("unknown", "A/A", "A/G", "G/G"),
    "CYP2C9 consensus": ("unknown", "*1/*1", "*1/*2", "*1/*3", "*2/*2", "*2/*3", "*3/*3"),
    "Race": ("Unknown", "White", "Asian", "Black or African American"),
}
WARFARIN: tuple[Column, ...] = (
    Number("age", 1, 9),
    Number("height", 120, 210, (138, 198)),
    Number("weight", 30, 180, (30, 130)),
    *(Category(name, levels) for name, levels in GENES.items()),
    Category("Enzyme", (0, 1)),
    Category("Amiodarone (Cordarone)", (0, 1)),
)
COD_RNA = (
    Number("1", -2000, 0, (-900, -300)),
    Number("2", 60, 150, (65, 135)),
    *(Number(str(place), 0, 1, (0.13, 0.37)) for place in range(3, 9)),
)


def path(name: str) -> Path:
    """A file of the folder."""
    found = Path(os.environ.get("EQUIPOISE_DATA") or Path(__file__).parents[4] / "shared" / "data") / name
    if not found.is_file():
        raise InvalidInput(f"{name}: not found, EQUIPOISE_DATA names the folder with the tables")
    return found


def frame(name: str) -> Any:
    """A Parquet file as a pandas frame."""
    import pandas as pd

    return pd.read_parquet(path(name))


def adult() -> Problem:
    """Does a person earn more than $50,000 a year?"""
    table = frame("adult.parquet")
    values = {column.name: table[column.name] for column in ADULT if not column.name.startswith("log ")}
    values |= {f"log {name}": np.log1p(table[name].to_numpy(float)) for name in ("capital-gain", "capital-loss")}
    return tabular("adult", ADULT, values, (table["income"] == ">50K").to_numpy().astype(int))


def magic() -> Problem:
    """Gamma ray or background, from the image in the telescope."""
    table = frame("magic04.parquet").rename(columns={"fM3long": "fM3Long"})
    widest = {"fLength": (0, 350), "fWidth": (0, 260), "fSize": (1.8, 5.5), "fConc": (0, 1), "fConc1": (0, 1),
              "fAsym": (-500, 600), "fM3Long": (-350, 350), "fM3Trans": (-210, 210), "fAlpha": (0, 90),
              "fDist": (0, 500)}  # fmt: skip
    usual = {name: (middle - spread, middle + spread) for name, (middle, spread) in MAGIC_MIDDLES.items()}
    columns = tuple(Number(name, *widest[name], usual[name]) for name in MAGIC_MIDDLES)
    values = {name: table[name].to_numpy(float) for name in MAGIC_MIDDLES}
    return tabular("magic", columns, values, (table["class"] == "g").to_numpy().astype(int))


def cod_rna() -> Problem:
    """Non-coding RNA or not: folding energy, length, base frequencies."""
    table = frame("cod_rna.parquet")
    values = {column.name: table[column.name].to_numpy(float) for column in COD_RNA}
    return tabular("cod_rna", COD_RNA, values, (table["label"] > 0).to_numpy().astype(int))


def warfarin() -> Problem:
    """Square root of the weekly dose, from age, body size, genotypes, race and two drugs."""
    table = frame("warfarin_iwpc.parquet").dropna(
        subset=["Therapeutic Dose of Warfarin", "Age", "Height (cm)", "Weight (kg)"]
    )
    drugs = ("Carbamazepine (Tegretol)", "Phenytoin (Dilantin)", "Rifampin or Rifampicin")
    values: dict[str, Array] = {name: table[name].fillna("unknown").to_numpy() for name in GENES}
    values["Enzyme"] = (table[list(drugs)].astype(float).fillna(0).max(axis=1) > 0).astype(int).to_numpy()
    values["Amiodarone (Cordarone)"] = table["Amiodarone (Cordarone)"].astype(float).fillna(0).astype(int).to_numpy()
    values["age"] = table["Age"].str[0].astype(float).to_numpy()
    values["height"] = table["Height (cm)"].to_numpy(float)
    values["weight"] = table["Weight (kg)"].to_numpy(float)
    dose = np.sqrt(table["Therapeutic Dose of Warfarin"].to_numpy(float))
    return tabular("warfarin", WARFARIN, values, dose, (1.0, 11.0))


def facebook() -> Problem:
    """Which of four kinds of page; about fourteen of 4,714 features are present."""
    X = sparse.csr_matrix(sparse.load_npz(path("facebook_page_page.npz")).astype(float)) / np.sqrt(14)
    names = ("company", "government", "politician", "tvshow")
    return Problem("facebook", cut(X), _places(np.load(path("facebook_page_page.npz"))["y"], names), classes=4)


def farm_ads() -> Problem:
    """Was an advertisement accepted; about two hundred of 54,877 words are present."""
    X = sparse.csr_matrix(sparse.load_npz(path("farm_ads.npz")).astype(float)) / np.sqrt(200)
    return Problem("farm_ads", cut(X), (np.load(path("farm_ads.npz"))["y"] > 0).astype(int))


def twitch() -> Problem:
    """Does a streamer use mature language; about twenty of 3,170 features are present."""
    X = sparse.csr_matrix(sparse.load_npz(path("twitch_de.npz")).astype(float)) / np.sqrt(20)
    return Problem("twitch", cut(X), np.load(path("twitch_de.npz"))["y"].astype(int))


def url() -> Problem:
    """Is an address malicious; about a hundred of 3.2 million features are present."""
    X = sparse.csr_matrix(sparse.load_npz(path("url_reputation_sample.npz")).astype(float)) / np.sqrt(100)
    return Problem("url", cut(X), (np.load(path("url_reputation_sample.npz"))["y"] > 0).astype(int))


def all_leukemia() -> Problem:
    """B or T cell leukaemia from 12,625 probes; log2 intensities run from 2 to 14."""
    stored = np.load(path("all_leukemia_expression.npz"))
    X = (stored["X"].astype(float) - 6.0) / 2.0 / np.sqrt(stored["X"].shape[1])
    return Problem("all_leukemia", cut(X), np.array([str(label)[0] == "T" for label in stored["y"]], dtype=int))


def hsmm() -> Problem:
    """At which of four hours a cell was taken, from log expression of 47,192 genes, about one in six expressed."""
    X = sparse.csr_matrix(sparse.load_npz(path("hsmm_rnaseq.npz")).astype(float))
    X.data = np.log1p(X.data) / (2.0 * np.sqrt(X.shape[1] / 6))
    return Problem("hsmm", cut(X), _places(np.load(path("hsmm_rnaseq.npz"))["y"], (0, 24, 48, 72)), classes=4)


def _places(labels: Array, names: tuple[Any, ...]) -> Array:
    """Labels as places in the public list of classes; numbers that are places already stay."""
    listed = {str(name): place for place, name in enumerate(names)}
    return np.array([listed.get(str(label), label) for label in labels.tolist()], dtype=int)


SOURCE = "data folder"
SPECS = (
    Spec("adult", DESIGN, SOURCE, adult),
    Spec("magic", DESIGN, SOURCE, magic),
    Spec("warfarin", DESIGN, SOURCE, warfarin),
    Spec("cod_rna", DESIGN, SOURCE, cod_rna),
    Spec("facebook", SEEN, SOURCE, facebook),
    Spec("farm_ads", SEEN, SOURCE, farm_ads),
    Spec("twitch", SEEN, SOURCE, twitch),
    Spec("url", SEEN, SOURCE, url),
    Spec("all_leukemia", SEEN, SOURCE, all_leukemia),
    Spec("hsmm", SEEN, SOURCE, hsmm),
)
