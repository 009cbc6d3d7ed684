"""Real tables with public scalings: every range below is general knowledge about the column, not read off the file.

`EQUIPOISE_DATA` names the folder with the Parquet and npz files (default: ../shared/data beside the project).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from equipoise.studies.tuning import data as tuning_data

FOLDER = Path(os.environ.get("EQUIPOISE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@dataclass(frozen=True)
class Table:
    """Features scaled so that rows have norm about one; labels as they are."""

    name: str
    X: Any
    y: Any
    label_bounds: tuple[float, float] | None = None


def adult() -> Table:
    """UCI Adult as the tuning study encodes it."""
    found = tuning_data.adult(pd.read_parquet(FOLDER / "adult.parquet"))
    return Table("Adult", found.X, found.y)


def magic() -> Table:
    """MAGIC telescope as the tuning study encodes it."""
    found = tuning_data.magic(pd.read_parquet(FOLDER / "magic04.parquet"))
    return Table("Magic", found.X, found.y)


def cod_rna() -> Table:
    """Cod-RNA: free energy and length by their usual ranges, base frequencies around a quarter."""
    table = pd.read_parquet(FOLDER / "cod_rna.parquet")
    raw = table[[str(j) for j in range(1, 9)]].to_numpy(float)
    X = np.column_stack([(raw[:, 0] + 600) / 300, (raw[:, 1] - 100) / 35, (raw[:, 2:] - 0.25) / 0.12]) / np.sqrt(8)
    return Table("Cod-RNA", X, (table["label"] > 0).to_numpy().astype(int))


def farm_ads() -> Table:
    """Farm Ads: a sparse bag of words, about two hundred to an ad."""
    X = sparse.load_npz(FOLDER / "farm_ads.npz").astype(float).tocsr() / np.sqrt(200)
    return Table("Farm Ads", X, np.load(FOLDER / "farm_ads.npz")["y"])


def facebook() -> Table:
    """Facebook pages: sparse binary features, about fourteen to a page, four kinds of page."""
    X = sparse.load_npz(FOLDER / "facebook_page_page.npz").astype(float).tocsr() / np.sqrt(14)
    return Table("Facebook", X, np.load(FOLDER / "facebook_page_page.npz")["y"])


def warfarin() -> Table:
    """IWPC warfarin: square root of the weekly dose on age, body size, genotypes and race."""
    table = pd.read_parquet(FOLDER / "warfarin_iwpc.parquet")
    needed = ["Therapeutic Dose of Warfarin", "Age", "Height (cm)", "Weight (kg)"]
    table = table.dropna(subset=needed)
    genes = {
        "VKORC1 -1639 consensus": ["A/A", "A/G", "unknown"],
        "CYP2C9 consensus": ["*1/*2", "*1/*3", "*2/*2", "*2/*3", "*3/*3"],
        "Race": ["Asian", "Black or African American", "Unknown"],
    }
    numbers = [
        (table["Age"].str[0].astype(float) - 5) / 4,
        (table["Height (cm)"].astype(float) - 168) / 30,
        (table["Weight (kg)"].astype(float) - 80) / 50,
    ]
    levels = [
        (table[name].fillna("unknown") == level).astype(float) for name, names in genes.items() for level in names
    ]
    dose = np.sqrt(table["Therapeutic Dose of Warfarin"].to_numpy(float))
    return Table("Warfarin", np.column_stack(numbers + levels) / 2, dose, (1.0, 11.0))


TABLES = {
    "adult": adult,
    "magic": magic,
    "cod-rna": cod_rna,
    "farm-ads": farm_ads,
    "facebook": facebook,
    "warfarin": warfarin,
}
