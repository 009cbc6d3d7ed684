"""The `equipoise` command.  Each command has its own file; this one parses options and turns errors into one line."""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli import bench, commands, ledger, schema
from equipoise.cli import data as study_data
from equipoise.cli.exit_codes import Code, code_of
from equipoise.cli.extras import missing_extra
from equipoise.cli.options import Json, ReplaceAll
from equipoise.cli.pipes import flushed
from equipoise.errors import EquipoiseError, InvalidInput

app = typer.Typer(
    name="equipoise",
    help="Learn from sensitive records; release only what differential privacy allows.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.add_typer(schema.app, name="schema")
for command in (commands.plan, commands.fit, commands.predict, commands.tune, commands.card):
    app.command()(command)
app.add_typer(ledger.app, name="ledger")
app.add_typer(bench.app, name="bench")
app.command("data")(study_data.data)


def run() -> None:
    """Entry point: an error of ours, or of the file system, is one clear line and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ε shows ? instead of failing
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            flushed(app)
    except EquipoiseError as problem:
        _stop(str(problem), code_of(problem))
    except OSError as problem:
        _stop(f"{problem.filename or 'file'}: {problem.strerror or 'cannot be read or written'}", code_of(problem))
    except ModuleNotFoundError as problem:
        _stop(missing_extra(problem), Code.BAD_INPUT)
    except SystemExit as ending:
        if ending.code == Code.INTERRUPTED:
            _stop("interrupted; what was reserved until now counts as spent", Code.INTERRUPTED)
        raise


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """One line as well, without the place in the code, which tells a user nothing."""
    print(f"equipoise: note: {' '.join(str(message).split())}", file=sys.stderr)


def _stop(message: str, code: Code) -> None:
    print(f"equipoise: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(int(code))


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version as installed_version

        print(f"equipoise {installed_version('equipoise')}")
        raise typer.Exit


@app.callback()
def equipoise(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Learn from sensitive records; release only what differential privacy allows."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the model, its card, the plot and the report.")] = Path("out"),
    patients: Annotated[int, typer.Option(help="Size of the simulated clinic.")] = 4000,
    seed: Annotated[int, typer.Option(help="Seed of the simulated clinic; the noise is never seeded.")] = 0,
    epsilons: Annotated[str, typer.Option(help="Privacy levels to try, with commas between.")] = "0.1,0.3,1,3,10",
    repetitions: Annotated[int, typer.Option(help="Fits at each level, to show how much noise varies.")] = 10,
    table: Annotated[
        Path | None, typer.Option(help="Only write the clinic as a CSV file, to try other commands on.")
    ] = None,
    force: ReplaceAll = False,
    as_json: Json = False,
) -> None:
    """Fit a simulated clinic at several privacy levels and compare with fits that protect nobody.

    \b
    Examples:
      equipoise demo
      equipoise demo --table clinic.csv --patients 4000
    """
    from equipoise.cli.demo.command import run_demo, write_table  # scikit-learn takes a second to import

    if table is not None:
        write_table(table, patients, seed, as_json)
        return

    run_demo(out, patients, seed, epsilons, repetitions, as_json, force)


@app.command()
def audit(
    subject: Annotated[
        str, typer.Argument(help="A saved model (.json), an estimator (Name or package.module:Class) or a URL.")
    ] = "",
    out: Annotated[Path, typer.Option(help="Folder for the report; with --table the .md file.")] = Path("out/audit"),
    epsilon: Annotated[float | None, typer.Option(help="The claim; also passed to the estimator.")] = None,
    delta: Annotated[float | None, typer.Option(help="The claim; also passed to the estimator.")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", help="Option of the estimator, name=value.")] = None,
    task: Annotated[str, typer.Option(help="classifier, regressor or density, where it cannot be told.")] = "auto",
    rows: Annotated[int | None, typer.Option(help="Rows of the neighbouring tables.")] = None,
    columns: Annotated[int, typer.Option(help="Columns of the neighbouring tables.")] = 1,
    row_norm: Annotated[float | None, typer.Option(help="Longest row of the neighbouring tables.")] = None,
    samples: Annotated[int | None, typer.Option(help="Draws from each of two neighbouring tables.")] = None,
    confidence: Annotated[float, typer.Option(help="Of what is proved from samples.")] = 0.999,
    data: Annotated[Path | None, typer.Option(help="CSV or Parquet: records that were in.")] = None,
    others: Annotated[Path | None, typer.Option(help="CSV or Parquet: records that were not.")] = None,
    label: Annotated[str | None, typer.Option(help="The label's column; the last unless named.")] = None,
    header: Annotated[list[str] | None, typer.Option(help="Sent to a service, name=value.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer draws, no audit of the noise.")] = False,
    whole: Annotated[bool, typer.Option("--table", help="Audit every mechanism of the library.")] = False,
    force: ReplaceAll = False,
    as_json: Json = False,
) -> None:
    """Try to break a privacy claim.  Exit code 0: it survived, 1: it is broken, 2: bad input.

    \b
    Examples:
      equipoise audit LogisticRegression --epsilon 1
      equipoise audit model/model.json --quick
      equipoise audit package.module:Class --epsilon 1 --set bounds=0,1
    """
    from equipoise.cli.audit import command as command

    options = command.Options(
        epsilon=epsilon,
        delta=delta,
        settings=tuple(settings or ()),
        task=task,
        rows=rows,
        columns=columns,
        row_norm=row_norm,
        samples=samples,
        confidence=confidence,
        data=data,
        others=others,
        label=label,
        headers=tuple(header or ()),
        quick=quick,
        force=force,
        as_json=as_json,
    )
    if whole == bool(subject):
        raise InvalidInput("subject: give a model, an estimator or a URL, or --table for the whole library")
    raise typer.Exit(command.run_table(out, options) if whole else command.run_audit(subject, out, options))


Simulated = Annotated[bool, typer.Option("--simulated", help="Made-up tables, even where the real ones are there.")]

reproduce = typer.Typer(help="Run a published study again and check its claims.", no_args_is_help=True)
app.add_typer(reproduce, name="reproduce")


@reproduce.callback()
def studies() -> None:
    """Run a published study again and check its claims."""


@reproduce.command()
def warfarin(
    data: Annotated[
        Path | None, typer.Option(help="Folder with warfarin_iwpc.parquet; EQUIPOISE_DATA names it as well.")
    ] = None,
    simulated: Simulated = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer levels and runs: two minutes, not thirty.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the report; an interrupted run goes on from it.")] = Path(
        "out/warfarin"
    ),
    as_json: Json = False,
) -> None:
    """Wu et al. 2015: can a clinic publish a warfarin dosing model under strong privacy?

    \b
    Examples:
      equipoise reproduce warfarin --quick
      equipoise reproduce warfarin --data tables --out out/warfarin
    """
    from equipoise.cli import reproduce as studies_again

    studies_again.reproduce(studies_again.WARFARIN, out, data, quick, simulated, as_json)


@reproduce.command()
def tuning(
    data: Annotated[
        Path | None, typer.Option(help="Folder with adult.parquet and magic04.parquet; or name it by EQUIPOISE_DATA.")
    ] = None,
    simulated: Simulated = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer levels and folds: two minutes, not sixty.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the report; an interrupted run goes on from it.")] = Path(
        "out/tuning"
    ),
    as_json: Json = False,
) -> None:
    """Chaudhuri and Vinterbo 2013: what does it cost to choose a setting privately?

    \b
    Examples:
      equipoise reproduce tuning --quick
      equipoise reproduce tuning --data tables --out out/tuning
    """
    from equipoise.cli import reproduce as studies_again

    studies_again.reproduce(studies_again.TUNING, out, data, quick, simulated, as_json)


@reproduce.command()
def prediction(
    data: Annotated[
        Path | None, typer.Option(help="Folder with the four Parquet tables; or name it by EQUIPOISE_DATA.")
    ] = None,
    simulated: Simulated = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer levels and repeats: two minutes, not forty.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the report; an interrupted run goes on from it.")] = Path(
        "out/prediction"
    ),
    as_json: Json = False,
) -> None:
    """Dwork and Feldman 2018: is it cheaper to answer questions than to release a model?

    \b
    Examples:
      equipoise reproduce prediction --quick
      equipoise reproduce prediction --data tables --out out/prediction
    """
    from equipoise.cli import reproduce as studies_again

    studies_again.reproduce(studies_again.PREDICTION, out, data, quick, simulated, as_json)


@reproduce.command()
def dimension(
    data: Annotated[
        Path | None, typer.Option(help="Folder with cod_rna.parquet and the two sparse tables; or EQUIPOISE_DATA.")
    ] = None,
    simulated: Simulated = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer levels, one repeat: minutes, not an hour.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the report; an interrupted run goes on from it.")] = Path(
        "out/dimension"
    ),
    as_json: Json = False,
) -> None:
    """Jain and Thakurta 2014: does privacy get worse with the number of columns?

    \b
    Examples:
      equipoise reproduce dimension --quick
      equipoise reproduce dimension --data tables --out out/dimension
    """
    from equipoise.cli import reproduce as studies_again

    studies_again.reproduce(studies_again.DIMENSION, out, data, quick, simulated, as_json)


@reproduce.command()
def stability(
    data: Annotated[
        Path | None, typer.Option(help="Folder with adult.parquet, the graphs and the genes; or EQUIPOISE_DATA.")
    ] = None,
    simulated: Simulated = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer levels, one repeat: a minute, not twenty.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the report; an interrupted run goes on from it.")] = Path(
        "out/stability"
    ),
    as_json: Json = False,
) -> None:
    """Watson, Rozemberczki and Sarkar 2020: does a steadier algorithm need less noise?

    \b
    Examples:
      equipoise reproduce stability --quick
      equipoise reproduce stability --data tables --out out/stability
    """
    from equipoise.cli import reproduce as studies_again

    studies_again.reproduce(studies_again.STABILITY, out, data, quick, simulated, as_json)
