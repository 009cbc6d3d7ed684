"""The commands on tables: options and examples; the work is in `equipoise.cli.table`, imported when it is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options import (
    AccountName,
    Data,
    Decimal,
    Delimiter,
    Delta,
    Encoding,
    Epsilon,
    Estimator,
    Force,
    Json,
    Kind,
    LedgerPlace,
    NoLedger,
    Out,
    Replace,
    SchemaFile,
    Settings,
    Yes,
)

Model = Annotated[Path, typer.Option(help="A folder written by fit, or a model file.")]


def plan(
    epsilon: Epsilon,
    data: Annotated[Path | None, typer.Argument(help="Only its rows are counted.", show_default=False)] = None,
    rows: Annotated[int | None, typer.Option(help="How many rows, instead of a file.", show_default=False)] = None,
    schema: SchemaFile = Path("schema.yaml"),
    delta: Delta = 0.0,
    model: Kind = "linear",
    estimator: Estimator = None,
    settings: Settings = None,
    ledger: LedgerPlace = None,
    account: AccountName = "default",
    report: Annotated[Path | None, typer.Option(help="Write the plan as an HTML page.", show_default=False)] = None,
    force: Replace = False,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Show what a fit would cost, add and promise.  Spends nothing, and looks at no record.

    \b
    Examples:
      equipoise plan patients.csv --epsilon 1 --delta 1e-6
      equipoise plan --rows 50000 --epsilon 0.5 --report plan.html
    """
    from equipoise.cli.table import plan as command
    from equipoise.cli.table.job import Job

    told = tuple(settings or ())
    where = (delimiter, encoding, ledger, account, False, as_json)
    job = Job(schema, epsilon, delta, data, rows, estimator, told, *where, kind=model, decimal=decimal)
    command.run(job, report, force)


def fit(
    data: Data,
    epsilon: Epsilon,
    schema: SchemaFile = Path("schema.yaml"),
    delta: Delta = 0.0,
    ledger: LedgerPlace = None,
    account: AccountName = "default",
    no_ledger: NoLedger = False,
    out: Out = Path("model"),
    model: Kind = "linear",
    estimator: Estimator = None,
    settings: Settings = None,
    public_test: Annotated[
        Path | None, typer.Option(help="Rows that need no protection, to measure on.", show_default=False)
    ] = None,
    yes: Yes = False,
    force: Force = False,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Learn a private model: show the plan, ask, debit the ledger, look, release.

    The folder appears whole or not at all.  What is wrong with files, names and types is told before anything is spent.

    \b
    Examples:
      equipoise ledger new privacy.db --epsilon 3 --delta 1e-6
      equipoise fit patients.csv --epsilon 1 --delta 1e-6 --ledger privacy.db
      equipoise fit patients.csv --epsilon 1 --ledger privacy.db --model additive --out curves
      equipoise fit patients.csv --epsilon 1 --ledger privacy.db --estimator LinearSVC --out svc --yes
    """
    from equipoise.cli.table import fit as command
    from equipoise.cli.table.job import Job

    told = tuple(settings or ())
    where = (delimiter, encoding, ledger, account, no_ledger, as_json)
    job = Job(schema, epsilon, delta, data, None, estimator, told, *where, kind=model, decimal=decimal)
    command.run(job, command.Release(out, force, yes, public_test))


def tune(
    data: Data,
    epsilon: Epsilon,
    candidates: Annotated[
        list[str], typer.Option("--try", help="A setting and its candidates, name=a,b,c.", show_default=False)
    ],
    method: Annotated[str, typer.Option(help="stability, data-split, budget-split or random.")] = "stability",
    schema: SchemaFile = Path("schema.yaml"),
    delta: Delta = 0.0,
    ledger: LedgerPlace = None,
    account: AccountName = "default",
    no_ledger: NoLedger = False,
    out: Out = Path("model"),
    estimator: Estimator = None,
    settings: Settings = None,
    yes: Yes = False,
    force: Force = False,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Choose settings and fit, all within one price, however many candidates there are.

    `fit` with nothing given finds its settings from public facts, for nothing; a search pays where candidates differ by
    much and rows are many.  It says before it spends where its choice would be hardly better than chance.

    \b
    Example:
      equipoise tune patients.csv --epsilon 1 --ledger privacy.db --try alpha=0.1,1,10
    """
    from equipoise.cli.table import tune as command
    from equipoise.cli.table.fit import Release
    from equipoise.cli.table.job import Job

    told = tuple(settings or ())
    where = (delimiter, encoding, ledger, account, no_ledger, as_json)
    job = Job(schema, epsilon, delta, data, None, estimator, told, *where, decimal=decimal)
    command.run(job, Release(out, force, yes), method, tuple(candidates))


def predict(
    data: Data,
    model: Model = Path("model"),
    out: Annotated[Path | None, typer.Option(help="A CSV file; stdout without it.", show_default=False)] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also the probability of each class.")] = False,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Predict for every row of a file.  Costs no privacy, however often.

    \b
    Example:
      equipoise predict new-patients.csv --model model --proba --out predictions.csv
    """
    from equipoise.cli.table import predict as command

    written = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal}
    command.run(data, model, out, proba, written, as_json)


def card(
    model: Annotated[Path, typer.Argument(help="A folder written by fit, or a model file.")] = Path("model"),
    as_html: Annotated[bool, typer.Option("--html", help="Print a whole HTML page.")] = False,
    as_json: Json = False,
) -> None:
    """Print the card of a saved model: what is promised, and on what it rests.

    \b
    Example:
      equipoise card model --html > card.html
    """
    from equipoise.cli.table import predict as command

    command.show_card(model, as_json, as_html)
