"""`equipoise schema`: a form to fill in, made of names and types alone, and a check that quotes no value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import screen
from equipoise.cli.exit_codes import Code
from equipoise.cli.options import Data, Decimal, Delimiter, Encoding, Json, Replace, SchemaFile
from equipoise.cli.places import refuse_replacing

if TYPE_CHECKING:
    from equipoise.schema.check import Findings

app = typer.Typer(
    help="The public facts of a table: a template to fill in, and a check against a file.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.command()
def new(
    data: Data,
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("schema.yaml"),
    target: Annotated[str | None, typer.Option(help="The column to predict.", show_default=False)] = None,
    person: Annotated[str | None, typer.Option(help="The column that names the person.", show_default=False)] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    force: Replace = False,
    as_json: Json = False,
) -> None:
    """Write a template from the names and types of a file's columns.  No row is read.

    Bounds, classes and values are left to you: what is found in the table is some person's value, and a schema is
    published with the model.

    \b
    Examples:
      equipoise schema new patients.csv --target outcome
      equipoise schema new visits.parquet --target cost --person patient_id
    """
    from equipoise._writing import write_whole
    from equipoise.schema import Schema
    from equipoise.schema.tables import column_types

    refuse_replacing("out", out, force, [data])
    types = column_types(data, delimiter=delimiter, encoding=encoding)
    text = Schema.template(types, target=target, person=person)
    write_whole(out, text)
    if as_json:
        screen.tell_json({"schema": str(out), "columns": list(types)})
        return
    screen.tell(
        f"Written to {out}: {len(types)} columns, names and types only. Fill in every blank from public knowledge,",
        f"not from the table, then: equipoise schema check {data} --schema {out}",
    )


@app.command()
def check(
    data: Annotated[Path | None, typer.Argument(help="CSV, CSV.gz or Parquet; without it the schema alone.")] = None,
    schema: SchemaFile = Path("schema.yaml"),
    count: Annotated[
        bool, typer.Option("--count-not-private", help="Also count odd cells. NOT PRIVATE: for your eyes alone.")
    ] = False,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Compare a schema with a file, by names and types; exit code 1 if a fit would refuse it.  No value is quoted.

    \b
    Examples:
      equipoise schema check patients.csv
      equipoise schema check --schema patients.yaml
    """
    from equipoise.schema import Schema
    from equipoise.schema.check import NOT_PRIVATE, Findings

    stated = Schema.load(schema)
    found = Findings(())
    if data is not None:
        values = NOT_PRIVATE if count else None
        found = stated.check(data, values=values, delimiter=delimiter, encoding=encoding, decimal=decimal)
        screen.note_of_commas(data, stated, delimiter, decimal)
    if as_json:
        screen.tell_json(_plain(found))
    else:
        screen.tell(f"{schema}: {len(stated.features)} columns to learn from", str(found))
    raise typer.Exit(Code.DONE if found.ok else Code.NO)


def _plain(found: Findings) -> dict[str, Any]:
    each = [{"column": one.column, "rule": one.rule, "fatal": one.fatal} for one in found.found]
    return {"ok": found.ok, "private": found.private, "findings": each}
