"""`equipoise predict` and `equipoise card`: what a released model says, for free."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import equipoise
from equipoise._checks import quoted
from equipoise._writing import write_whole
from equipoise.cli import screen
from equipoise.cli.places import refuse_replacing
from equipoise.cli.table.folder import MODEL
from equipoise.errors import InvalidInput
from equipoise.outside.table.model import TableModel
from equipoise.schema.rules import canonical


def loaded(place: Path) -> Any:
    """The model in a folder or a file."""
    return equipoise.load(place / MODEL if place.is_dir() else place)


def run(data: Path, place: Path, out: Path | None, proba: bool, written: dict[str, str | None], as_json: bool) -> None:
    """One prediction for each row, in the file's order."""
    model = loaded(place)
    if not isinstance(model, TableModel):
        raise InvalidInput(
            f"model={quoted(str(place))}: was saved without a schema, predict with equipoise.load in Python"
        )
    if out is not None:
        refuse_replacing("out", out, force=False, inputs=[data, place], forced=False)
    with screen.working(f"Predicting {data}"):
        head, rows = predictions(model, data, proba, written)
    screen.note_of_commas(data, model.schema, written["delimiter"], written["decimal"])
    text = as_csv(head, rows)
    if as_json:
        text = ""
        screen.tell_json([dict(zip(head, row, strict=True)) for row in rows])
    if out is None:
        sys.stdout.write(text)
        return
    write_whole(out, as_csv(head, rows))
    print(f"Written to {out}: {len(rows)} rows", file=sys.stderr)


def predictions(
    model: TableModel, data: Path, proba: bool, written: dict[str, Any]
) -> tuple[list[str], list[list[Any]]]:
    """Names and rows: the prediction, and with `proba` a column for each class."""
    target = model.schema.target
    head = [f"predicted {target.column}" if target is not None else "predicted"]
    columns = [model.predict(data, **written).tolist()]
    if proba:
        columns += model.predict_proba(data, **written).T.tolist()  # refused by name where there are none
        head += [f"probability of {_listed(label)}" for label in model.classes_.tolist()]
    return head, [list(row) for row in zip(*columns, strict=True)]


def _listed(value: Any) -> Any:
    """As a schema lists it: Python would write False where file and schema say false."""
    return canonical(value) if isinstance(value, bool) else value


def as_csv(head: list[str], rows: list[list[Any]]) -> str:
    """With a header."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_listed(cell) for cell in row] for row in rows)
    return file.getvalue()


def show_card(place: Path, as_json: bool, as_html: bool) -> None:
    """The card of a saved model."""
    card = loaded(place).card()
    if as_json:
        screen.tell_json(card.to_json())
    elif as_html:
        print(card.html())
    else:
        print(card.text())
