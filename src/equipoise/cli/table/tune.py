"""`equipoise tune`: choose settings and fit, within one price for all of it."""

from __future__ import annotations

import warnings
from typing import Any

from equipoise import tuning
from equipoise._checks import shown
from equipoise.cli import screen
from equipoise.cli.table import folder, words
from equipoise.cli.table.delivery import delivered
from equipoise.cli.table.fit import Release, space
from equipoise.cli.table.job import Job, made, refuse_event
from equipoise.cli.table.rehearsal import rehearsed
from equipoise.errors import InvalidInput, PrivacyWarning
from equipoise.estimators.search.stability_plan import SearchPlan
from equipoise.estimators.table.fit import groups_in
from equipoise.estimators.table.labels import labels_of
from equipoise.estimators.table.planning import Prospect
from equipoise.ledger import SQLLedger
from equipoise.outside.table.model import TableModel
from equipoise.schema.tables import read_table

METHODS = {
    "stability": "StabilitySearch",
    "data-split": "DataSplitSearch",
    "budget-split": "BudgetSplitSearch",
    "random": "RandomSearch",
}

BY_NAME = (
    "`equipoise fit` finds alpha by itself, for nothing: an alpha by name takes the place of all that it plans with it,"
    " a gentler loss and usual ranges included."
)
"""Said before a search among alphas: it can end worse than a fit with nothing given, and costs as much."""


def run(job: Job, release: Release, method: str, candidates: tuple[str, ...]) -> None:
    """Everything the command does."""
    grid = words.grid(candidates)
    if method not in METHODS:
        raise InvalidInput(f"method={shown(method)}: must be one of {', '.join(METHODS)}")
    facts, account = job.facts(), job.debtor()
    folder.refuse_existing(release.out, release.force, job.reads)
    with screen.working(f"Reading {job.data}"):
        table = read_table(job.filled(facts), facts.needed)
        prospect = job.prospect(facts, job.used(facts, table))
        asked = prospect.encoding.rows(table), labels_of(table, facts)
        whose = groups_in(facts, table)
        charge = rehearsed(lambda ledger: searching(prospect, method, grid, ledger), *asked, **whose)
    refuse_event(account, *charge, job.epsilon)
    search = searching(prospect, method, grid, account)
    with folder.prepared(release.out, release.force, space(prospect), job.reads) as room:
        advice = _advice(search, prospect)
        if not job.as_json:
            screen.tell(*_told(job, method, grid, advice))
        if not release.yes:
            screen.ask(_question(job, advice), "give --yes to spend without a question")
        with screen.working("Choosing and learning"), warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)  # the plan has said it in words
            warnings.simplefilter("ignore", tuning.NoisyChoice)  # said before the question
            search.fit(*asked, **whose)
        with folder.uninterrupted():
            _finish(job, release, room, prospect, search, account)


def searching(prospect: Prospect, method: str, grid: dict[str, list[Any]], account: Any) -> Any:
    """The search, with the job's estimator and price inside."""
    known = prospect.estimator.get_params()
    for name in grid:
        if name not in known:
            raise InvalidInput(f"try={name}: {type(prospect.estimator).__name__} has no such setting")
    chosen = made(type(prospect.estimator).__name__, {**known, "ledger": None})
    return getattr(tuning, METHODS[method])(chosen, grid, ledger=account)


def _told(job: Job, method: str, grid: dict[str, list[Any]], advice: str) -> list[str]:
    tried = ", ".join(f"{name} in {values}" for name, values in grid.items())
    price = f"{method} search over {tried}: the whole search costs ε = {job.epsilon:g}, δ = {job.delta:g}."
    told = [price, BY_NAME] if "alpha" in grid else [price]
    return [*told, f"Hardly better than chance: {advice}."] if advice else told


def _question(job: Job, advice: str) -> str:
    """Before the debit; where the plan says that the choice is mostly noise, so does the question."""
    price = f"Spend ε = {job.epsilon:g}, δ = {job.delta:g}"
    return f"The choice would be hardly better than chance. {price} all the same?" if advice else f"{price}?"


def _advice(search: Any, prospect: Prospect) -> str:
    """Where the choice would be mostly noise, in the words of its plan; from public facts."""
    if not isinstance(search, tuning.StabilitySearch):
        return ""
    plan = search.plan(prospect.plan.facts.n, len(prospect.encoding.names))
    return plan.poor if isinstance(plan, SearchPlan) else ""


def _finish(job: Job, release: Release, room: Any, prospect: Prospect, search: Any, account: SQLLedger | None) -> None:
    import dataclasses

    fitted = dataclasses.replace(
        search.best_estimator_.model_, feature_names=prospect.encoding.names, guarantee=search.guarantee_
    )
    model = TableModel(prospect.encoding, fitted)
    with folder.paid_for(room, release.out, model.save):
        report = delivered(job, room, model, None, account)
    if job.as_json:
        screen.tell_json({"folder": str(release.out), "chosen": search.best_params_, "card": report.card.to_json()})
        return
    screen.tell(f"Chosen: {search.best_params_}", f"Written to {release.out}/")
