"""Options that several commands share, worded once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[Path, typer.Argument(help="CSV, CSV.gz, Parquet or a folder of it.", show_default=False)]
SchemaFile = Annotated[Path, typer.Option(help="The public facts of the table.")]
Delimiter = Annotated[str | None, typer.Option(help="Of a CSV file; a comma unless said.", show_default=False)]
Decimal = Annotated[
    str | None, typer.Option(help="Of numbers in a CSV file, as in 1,5; a point unless said.", show_default=False)
]
Encoding = Annotated[str, typer.Option(help="Of a CSV file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Epsilon = Annotated[float, typer.Option(help="The price ε: smaller promises more.", show_default=False)]
Delta = Annotated[float, typer.Option(help="The price δ: far below one over the number of rows, or 0.")]
Estimator = Annotated[
    str | None, typer.Option(help="Such as LinearSVC or HuberRegressor; the usual one unless said.", show_default=False)
]
Kind = Annotated[str, typer.Option("--model", help="linear, additive (a shape of each column) or kernel (curves).")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="Setting of the estimator, name=value.", show_default=False)
]
LedgerPlace = Annotated[
    str | None, typer.Option("--ledger", help="Whom to charge: a ledger that exists.", show_default=False)
]
AccountName = Annotated[str, typer.Option("--account", help="The ledger's account.")]
NoLedger = Annotated[bool, typer.Option("--no-ledger", help="Charge nobody: nothing counts the releases.")]
Out = Annotated[Path, typer.Option(help="Folder for model, card and report.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a folder that holds a model.")]
Replace = Annotated[bool, typer.Option("--force", help="Replace the file if it exists; never what is read.")]
ReplaceAll = Annotated[bool, typer.Option("--force", help="Replace files that are there; never what is read.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Spend without asking.")]
