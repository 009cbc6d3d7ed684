"""The files of a released model: the model, its card, the report, and the schema they rest on."""

from __future__ import annotations

import json
import math
import platform
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version

from equipoise.cli.ledger import at_least
from equipoise.cli.table.curves import curves_of, score_of, shapes_are, steps_of
from equipoise.gate import MECHANISMS
from equipoise.ledger import SQLLedger
from equipoise.outside.card_words import ERRORS
from equipoise.outside.origin import named
from equipoise.outside.pages import at_most, readable
from equipoise.outside.report.forest import Effect
from equipoise.outside.report.report import Account, Report
from equipoise.outside.table.model import TableModel
from equipoise.schema import Column, Number, Ordinal
from equipoise.schema.encoding import Encoding
from equipoise.schema.files import HEAD
from equipoise.schema.files import written as as_yaml
from equipoise.theory.plan import Plan

FILES = (
    ("model.json", "the released numbers with their schema; equipoise predict and equipoise.load read it"),
    ("report.html", "this page"),
    ("card.html, card.txt, card.json", "the model card, for people and for programs"),
    ("schema.yaml", "the public facts the guarantee rests on"),
)


def texts(model: TableModel, report: Report) -> dict[str, str]:
    """What goes with the model, by name."""
    card = report.card
    return {
        "report.html": report.html(),
        "card.html": card.html(),
        "card.txt": card.text(),
        "card.json": json.dumps(card.to_json(), indent=2, ensure_ascii=False) + "\n",
        "schema.yaml": HEAD + as_yaml(model.schema.to_dict()),
    }


def from_data(model: TableModel, data: str) -> TableModel:
    """The same, with the name of the table: what is printed later from the saved model says it too."""
    return replace(model, model=replace(model.model, origin=named(model.model.origin, data or None)))


def report_on(
    model: TableModel, data: str, plan: Plan | None, account: Account | None, measured: tuple[str, ...] = ()
) -> Report:
    """Everything that is known of a release, none of it private."""
    effects, told = effects_of(model)
    target, card = model.schema.target, model.card()
    predicted = () if plan is None else expected(plan)
    return Report(
        title=f"A private model of {target.column}" if target is not None else "A private model",
        card=replace(card, why=(*card.why, *predicted)),
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        versions=versions(),
        data=data,
        schema=model.schema,
        encoding=encoding_of(model),
        effects=effects,
        effects_are=told,
        spans=spans_of(model, effects),
        score=score_of(model),
        shapes=curves_of(model) if model.additive else (),
        expected=predicted,
        measured=measured,
        account=account,
        files=FILES,
    )


def versions() -> tuple[tuple[str, str], ...]:
    """Of everything that computed."""
    ours = tuple((name, version(name)) for name in ("equipoise", "numpy", "scipy", "scikit-learn"))
    return (*ours, ("Python", platform.python_version()))


def effects_of(model: TableModel) -> tuple[tuple[Effect, ...], str]:
    """Coefficients in the columns' own units; each class's where there are several."""
    if model.additive:
        return steps_of(model), shapes_are(model)
    if model.model.lift is not None:
        return (), "A kernel machine has no number for each column: ask it for predictions."
    found = model.coefficients()
    about = f"What one unit more of a column, or being in a category, adds to {score_of(model)}."
    if found.level is None or found.covers is None:
        sure = " This mechanism states no error of its numbers: read the small ones as noise."
    else:
        sure = f" Intervals hold {found.level:.0%} for each number alone, {ERRORS[found.covers]}."
    effects = tuple(Effect(one.name, one.value, one.low, one.high, one.unit) for one in found)
    return effects, about + sure


def spans_of(model: TableModel, effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """The same effects over what can be seen: a number from bound to bound, a category as it is; no intercept."""
    if not isinstance(model.encoding, Encoding):
        return effects  # categories of an additive model
    names = model.encoding.names
    if len(effects) != len(names) + 1:
        return effects  # of several classes
    coded = (model.model.coef[0] * model.encoding.weight).tolist()
    lines: list[Column | None] = [None] * len(names)
    place = 0
    for block in model.encoding.blocks:
        lines[place] = model.schema.columns.get(block.column)
        place += len(block.names)
    return tuple(_span(*each) for each in zip(lines, effects, coded, strict=False))  # the intercept is last


def _span(column: Column | None, effect: Effect, coded: float) -> Effect:
    """Numbers that enter as a line, and places in an order, go from −1 to 1."""
    along = isinstance(column, Ordinal) or (isinstance(column, Number) and column.shape == "line")
    if not along or effect.value == 0:
        return effect
    assert isinstance(column, Number | Ordinal)
    reach = 2 * coded / effect.value
    low, high = (None if edge is None else edge * reach for edge in (effect.low, effect.high))
    if isinstance(column, Ordinal):
        return Effect(f"{effect.name}, {column.values[0]} to {column.values[-1]}", 2 * coded, low, high)
    ends = " to ".join(readable(end) for end in column.bounds)
    return Effect(f"{effect.name}, {ends} {column.unit}".strip(), 2 * coded, low, high)


def encoding_of(model: TableModel) -> tuple[str, ...]:
    """How rows became vectors, in words."""
    how = model.encoding
    if not isinstance(how, Encoding):
        return (
            f"{len(model.schema.features)} columns became {len(how.names)} numbers, each with a shape over public knots"
            " or values. Numbers are clipped to their bounds, values that are not listed are other, and predictions are"
            " read just as the training rows were. Nothing of this was learnt from the table.",
        )
    return (
        f"{len(model.schema.features)} columns became {len(how.names)} numbers of equal weight, rows no longer than"
        f" {readable(how.norm)}. Numbers are clipped to their bounds, values that are not listed are other, and"
        " predictions are encoded just as the training rows were. Nothing of this was learnt from the table.",
    )


def expected(plan: Plan) -> tuple[str, ...]:
    """From public facts: what the plan foresees, and the prediction by which mechanism and ridge are chosen."""
    foreseen = plan.expected
    told = () if foreseen is None else (f"To be expected: {foreseen}.",)
    known = MECHANISMS.get(plan.mechanism)
    cost = math.inf if known is None else float(known.predict_risk(plan))
    if not math.isfinite(cost):
        return told
    lifted = "kernel" if plan.facts.bounds.lift is not None else "linear"
    kind = lifted if plan.facts.bounds.encoding is None else "additive"
    return (
        *told,
        f"Noise and ridge together are expected to raise the mean {plan.facts.loss.name} loss by about"
        f" {readable(cost, 2)} above that of the best {kind} model, on the reference problem by which the mechanism was"
        " chosen. No record was used for this figure, and the table at hand may be easier or harder.",
    )


def state_of(account: SQLLedger, place: str) -> Account:
    """The ledger as the caller named it: a report should not tell where somebody's home is."""
    spent, left, limit = account.spent(), account.remaining(), account.limit
    used = at_most(spent.epsilon, 4) if math.isfinite(spent.epsilon) else "no bound"
    return Account(
        place=place,
        name=account.name,
        limit="none" if limit is None else f"ε = {readable(limit.epsilon)}, δ = {readable(limit.delta)}",
        spent=f"ε ≤ {used} at δ = {readable(spent.delta)}",
        left="no limit" if left is None else f"ε = {at_least(left.epsilon)}, δ = {at_least(left.delta)}",
        entries=len(account.entries()),
    )
