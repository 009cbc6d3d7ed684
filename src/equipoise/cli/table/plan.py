"""`equipoise plan`: everything about a fit, before a record is looked at and anything is spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from equipoise._writing import write_whole
from equipoise.cli import screen
from equipoise.cli.places import refuse_replacing
from equipoise.cli.table import written
from equipoise.cli.table.job import Job, is_secret, refuse_too_dear
from equipoise.errors import BudgetExhausted, InvalidInput, MechanismRefused
from equipoise.estimators._spent import untold_free
from equipoise.estimators.table.planning import Prospect
from equipoise.ledger import SQLLedger
from equipoise.outside import promise
from equipoise.outside.pages import readable
from equipoise.outside.report.plan_page import PlanPage


def run(job: Job, page: Path | None, force: bool = False) -> None:
    """Print the plan; `page` is an HTML file to write as well, which is replaced only with `force`."""
    if page is not None:
        refuse_replacing("report", page, force, job.reads)
    facts = job.facts()
    if (job.data is None) == (job.rows is None):
        raise InvalidInput("rows: give a file, or --rows for a table that need not exist yet, not both")
    if job.rows == 1 and not is_secret(job.model()):
        raise InvalidInput("rows=1: at least two are needed to learn from")
    account = None if job.ledger is None else job.debtor()
    with screen.working("Planning"):
        rows = job.rows if job.rows is not None else job.used(facts, job.filled(facts))
        prospect = job.prospect(facts, rows)
    if page is not None:
        guarantee = prospect.plan.guarantee(seeded=False)
        made = PlanPage(str(prospect.plan), guarantee, facts, written.expected(prospect.plan), written.versions())
        write_whole(page, made.html())
    if job.as_json:
        screen.tell_json(plain(prospect, account))
        return
    screen.tell(*told(prospect, account))
    if page is not None:
        screen.tell(f"Written to {page}")


def told(prospect: Prospect, account: SQLLedger | None) -> list[str]:
    """The plan, what it promises, what it is expected to be worth, and what the ledger says to it."""
    guarantee = prospect.plan.guarantee(seeded=False)
    name, sentence = promise.level(guarantee)
    budget = prospect.plan.budget
    price = f"ε = {readable(budget.epsilon)}, δ = {readable(budget.delta)}"
    lines = [f"{name.capitalize()} ({price}): {sentence}"]
    lines += promise.in_words(guarantee, guarantee.constants.get("records"))
    lines += [*written.expected(prospect.plan), *about_persons(prospect)]
    if account is not None:
        state = written.state_of(account, "")
        lines.append(f"Account {state.name}: limit {state.limit}; spent {state.spent}; left {state.left}.")
        why = refusal(prospect, account)
        lines += [f"A fit would be refused: {why}."] if why else []
    return [*lines, "", str(prospect.plan)]


def refusal(prospect: Prospect, account: SQLLedger) -> str:
    """Why a fit would not be let through; "" if it would."""
    try:
        refuse_too_dear(account, prospect)
    except (BudgetExhausted, MechanismRefused) as problem:
        return untold_free(str(problem))
    return ""


def about_persons(prospect: Prospect) -> list[str]:
    """Which rows the plan counts, where persons have several."""
    person = prospect.encoding.schema.person
    if person is None:
        return []
    return [
        f"One person is protected, not one row: of each the first {person.rows_per_person} rows are used and further"
        f" ones left out. The plan is for {prospect.plan.facts.n} rows that are used."
    ]


def plain(prospect: Prospect, account: SQLLedger | None) -> dict[str, Any]:
    """For programs."""
    plan = prospect.plan
    why = "" if account is None else refusal(prospect, account)
    return {
        "estimator": type(prospect.estimator).__name__,
        "encoded_columns": len(prospect.encoding.names),
        "mechanism": plan.mechanism,
        "theorem": plan.theorem,
        "epsilon": plan.budget.epsilon,
        "delta": plan.budget.delta,
        "constants": plan.constants(),
        "notes": list(plan.notes),
        "expected": list(written.expected(plan)),
        "best_guess_at_most": promise.best_guess(plan.guarantee(seeded=False)),
        "fits_the_ledger": None if account is None else not why,
        "refused_because": why or None,
    }
