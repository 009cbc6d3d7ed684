"""What `fit` and `tune` put beside a model that is on the disk already: its card, its report, its schema."""

from __future__ import annotations

from pathlib import Path

from equipoise._writing import writable
from equipoise.cli.table import folder, written
from equipoise.cli.table.job import Job
from equipoise.errors import EquipoiseError
from equipoise.ledger import SQLLedger
from equipoise.outside.report.report import Account, Report
from equipoise.outside.table.model import TableModel
from equipoise.theory.plan import Plan

NOT_KNOWN = "not known: the ledger could not be read after the release"


def delivered(
    job: Job,
    room: Path,
    model: TableModel,
    plan: Plan | None,
    account: SQLLedger | None,
    measured: tuple[str, ...] = (),
) -> Report:
    """The report, written into the room with all that goes with it."""
    state = None if account is None else state_after(account, writable(str(job.ledger)))
    name = "" if job.data is None else writable(job.data.name)
    model = written.from_data(model, name)
    report = written.report_on(model, name, plan, state, measured)
    folder.fill(room, model.save, written.texts(model, report))
    return report


def state_after(account: SQLLedger, place: str) -> Account:
    """The balance is told beside a model that is paid for: a ledger that cannot be read any more must not cost it."""
    try:
        return written.state_of(account, place)
    except (EquipoiseError, OSError):
        return Account(place, account.name, NOT_KNOWN, NOT_KNOWN, NOT_KNOWN, NOT_KNOWN)
