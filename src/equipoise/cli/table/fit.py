"""`equipoise fit`: show the plan, ask, debit, look, release; then a folder that appears whole."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path

import equipoise
from equipoise.cli import screen
from equipoise.cli.table import folder
from equipoise.cli.table.delivery import delivered
from equipoise.cli.table.job import Job, refuse_too_dear
from equipoise.cli.table.plan import told
from equipoise.errors import InvalidInput, PrivacyWarning
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.table.planning import Prospect
from equipoise.ledger import SQLLedger
from equipoise.outside.table.model import TableModel
from equipoise.schema import Schema
from equipoise.schema.tables import Table, read_table
from equipoise.schema.tables.parquet import ParquetFiles

FEWEST_BYTES, BYTES_PER_NUMBER = 2**20, 64
MOST_SQUARED = 3000
"""Numbers whose covariance may be kept with the model."""


@dataclasses.dataclass(frozen=True, slots=True)
class Release:
    """What `fit` needs besides the job."""

    out: Path
    force: bool = False
    yes: bool = False
    public_test: Path | None = None


def run(job: Job, release: Release) -> None:
    """Everything the command does."""
    facts, account = job.facts(), job.debtor()
    reads = *job.reads, release.public_test
    folder.refuse_existing(release.out, release.force, reads)
    with screen.working(f"Reading {job.data}"):
        table = job.filled(facts)
        prospect = job.prospect(facts, job.used(facts, table))
    refuse_too_dear(account, prospect)
    tests = None if release.public_test is None else public_rows(job, release.public_test, facts)
    with folder.prepared(release.out, release.force, space(prospect), reads) as room:
        if not job.as_json:
            screen.tell(*told(prospect, account), "")
        if not release.yes:
            screen.ask(f"Spend ε = {job.epsilon:g}, δ = {job.delta:g}?", "give --yes to spend without a question")
        with screen.perhaps_counting("Learning") as tick:
            model = learnt(job, prospect, table, account, tick)
        with folder.uninterrupted():
            finish(job, release, room, prospect, account, model, tests)


def public_rows(job: Job, path: Path, facts: Schema) -> Table:
    """Read whole before the debit: a file that cannot be read or measured on must not cost the model."""
    with before_the_debit():
        table = read_table(dataclasses.replace(job, data=path).table(facts), facts.needed)
        if not len(table):
            raise InvalidInput(f"{path}: holds no rows to measure on")
    return table


def learnt(
    job: Job, prospect: Prospect, table: Table | ParquetFiles, account: SQLLedger | None, tick: screen.Tick
) -> TableModel:
    """From here on the price is spent."""
    how = {**job.how(), "ledger": account, "progress": tick}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # the plan has said it in words
        return equipoise.fit(table, prospect.encoding.schema, job.epsilon, job.delta, **how)


def finish(
    job: Job,
    release: Release,
    room: Path,
    prospect: Prospect,
    account: SQLLedger | None,
    model: TableModel,
    tests: Table | None,
) -> None:
    """The report, the files, and what to do next."""
    with folder.paid_for(room, release.out, model.save):
        measured = () if tests is None else (f"{equipoise.evaluate(model, tests, public=True)}.",)
        report = delivered(job, room, model, prospect.plan, account, measured)
    if job.as_json:
        screen.tell_json({"folder": str(release.out), "card": report.card.to_json(), "measured": list(measured)})
        return
    names = ", ".join(sorted(path.name for path in release.out.iterdir()))
    screen.tell(*measured, f"Written to {release.out}/: {names}")
    screen.tell(f"Predict with: equipoise predict NEW.csv --model {release.out}")


def space(prospect: Prospect) -> int:
    """Bytes that the files may take, generously."""
    numbers = prospect.plan.facts.dim
    square = numbers**2 if numbers <= MOST_SQUARED else numbers
    return FEWEST_BYTES + BYTES_PER_NUMBER * (square + 20 * numbers)
