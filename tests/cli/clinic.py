"""A small table on disk: the simulated clinic as CSV, and its schema."""

from __future__ import annotations

from pathlib import Path

from equipoise.cli.demo.table import as_csv
from equipoise.cohort import simulated_clinic
from equipoise.ledger import SQLLedger

HEAD = "decades,height,weight,vkorc1,high_dose\n"

SCHEMA = """\
equipoise-schema: 1
about: a simulated clinic
target:
  column: high_dose
  classes: ["no", "yes"]
columns:
  decades: {kind: number, bounds: [0, 10], unit: decades, source: human life}
  height: {kind: number, bounds: [120, 220], unit: cm, missing: indicator}
  weight: {kind: number, bounds: [30, 200], unit: kg}
  vkorc1: {kind: category, values: [G/G, A/G, A/A]}
"""

MARK = "Zaphod"
"""A value that no message may repeat."""


def write(folder: Path, patients: int = 300) -> None:
    """clinic.csv and schema.yaml: four columns, and whether the dose is high."""
    lines = [line.split(",") for line in as_csv(simulated_clinic(patients)).splitlines()[1:]]
    rows = [[*line[:4], "yes" if float(line[-1]) > 35 else "no"] for line in lines]
    text = HEAD + "".join(",".join(row) + "\n" for row in rows)
    (folder / "clinic.csv").write_text(text, encoding="utf-8")
    (folder / "schema.yaml").write_text(SCHEMA, encoding="utf-8")


def spent(room: Path) -> int:
    """Entries of the room's ledger."""
    return len(SQLLedger(room / "privacy.db").entries())
