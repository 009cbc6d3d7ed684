"""The simulated clinic as an ordinary table, to try the other commands on: nobody's records."""

from __future__ import annotations

import csv
import io

from equipoise.cohort import FEATURES, Cohort

HEAD = ("age_decades", "height_cm", "weight_kg", "vkorc1", "cyp2c9", "race", "inducer", "amiodarone", "dose_mg_week")
USUAL = {"VKORC1": "G/G", "CYP2C9": "*1/*1"}
"""What a gene is where no column of the published equation says otherwise."""


def as_csv(cohort: Cohort) -> str:
    """With a header; a gene or race that was not told is empty."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEAD)
    for row, dose in zip(cohort.X.tolist(), cohort.dose.tolist(), strict=True):
        writer.writerow(_cells(dict(zip(FEATURES, row, strict=True)), dose))
    return file.getvalue()


def _cells(patient: dict[str, float], dose: float) -> list[object]:
    body = [f"{patient[name]:g}" for name in ("age (decades)", "height (cm)", "weight (kg)")]
    race = next((name for name in ("Asian", "Black") if patient[name]), "White")
    drugs = ["yes" if patient[name] else "no" for name in ("enzyme inducer", "amiodarone")]
    told = "" if patient["race unknown"] else race
    return [*body, _gene(patient, "VKORC1"), _gene(patient, "CYP2C9"), told, *drugs, f"{dose:.1f}"]


def _gene(patient: dict[str, float], gene: str) -> str:
    if patient[f"{gene} unknown"]:
        return ""
    marks = [name.removeprefix(f"{gene} ") for name in FEATURES if name.startswith(f"{gene} ") and patient[name]]
    return marks[0] if marks else USUAL[gene]
