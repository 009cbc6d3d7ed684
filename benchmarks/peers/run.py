"""Run Equipoise's audit against other packages and write what it finds.

    python benchmarks/peers/run.py [--only logistic-norm] [--draws 3000]

Builds the peer's environment with pip in the temporary directory (once), then writes benchmarks/results/peers-audit.csv
and the table in docs/explanation/peers.md, and prints it.  With --only, prints that row alone and writes nothing.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path

import cases_linear
import cases_logistic
import cases_others
from peer import Door
from row import CONFIDENCE, Row, markdown

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "benchmarks" / "results" / "peers-audit.csv"
PAGE = ROOT / "docs" / "explanation" / "peers.md"
START, END = "<!-- table: written by benchmarks/peers/run.py -->", "<!-- end of table -->"

CASES = {**cases_linear.CASES, **cases_logistic.CASES, **cases_others.CASES}


def run(names: list[str], draws: int) -> list[Row]:
    rows = []
    with Door() as door:
        versions = {"diffprivlib": door.ask("versions")[0]}
        for name in names:
            start = time.perf_counter()
            row = CASES[name](door, draws)
            if row.package not in versions:
                versions[row.package] = version(row.package)
            rows.append(
                replace(
                    row,
                    package=f"{row.package} {versions[row.package]}",
                    confidence=CONFIDENCE if row.draws else row.confidence,
                    seconds=round(time.perf_counter() - start, 1),
                )
            )
            print(f"{name}: {rows[-1].seconds} s", flush=True)
    return rows


def write(rows: list[Row]) -> None:
    with TABLE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*asdict(rows[0]), "command"])
        for row in rows:
            values = asdict(row).values()
            writer.writerow([*(f"{value:.6g}" if isinstance(value, float) else value for value in values), row.command])
    text = PAGE.read_text()
    before, after = text.split(START)[0], text.split(END)[1]
    PAGE.write_text(f"{before}{START}\n{markdown(rows)}{END}{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Equipoise's audit against other packages.")
    parser.add_argument("--only", choices=sorted(CASES), help="one case; nothing is written")
    parser.add_argument("--draws", type=int, default=3000, help="fits on each data set where one fit is slow")
    asked = parser.parse_args()
    rows = run([asked.only] if asked.only else list(CASES), asked.draws)
    if asked.only is None:
        write(rows)
    print(markdown(rows))


if __name__ == "__main__":
    main()
