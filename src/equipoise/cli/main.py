"""The `equipoise` command.  Each command has its own file; this one parses options and turns errors into one line."""

from __future__ import annotations

import io
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated

from equipoise.errors import EquipoiseError

try:
    import typer
except ModuleNotFoundError:
    sys.exit("equipoise: the command line is an extra, install it with: pip install 'equipoise[cli]'")

BAD_INPUT = 2

app = typer.Typer(
    name="equipoise",
    help="Learn from sensitive records; release only what differential privacy allows.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def run() -> None:
    """Entry point: an error of ours, or of the file system, is one clear line and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ε shows ? instead of failing
    try:
        app()
    except EquipoiseError as problem:
        _stop(str(problem))
    except OSError as problem:
        _stop(f"{problem.filename or 'file'}: {problem.strerror or 'cannot be read or written'}")


def _stop(message: str) -> None:
    print(f"equipoise: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(BAD_INPUT)


def _show_version(wanted: bool) -> None:
    if wanted:
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
) -> None:
    """Fit a simulated clinic at several privacy levels and compare with fits that protect nobody."""
    from equipoise.cli.demo import run_demo  # scikit-learn and matplotlib take a second to import

    run_demo(out, patients, seed, epsilons, repetitions)


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
    quick: Annotated[bool, typer.Option("--quick", help="Fewer levels and runs: two minutes, not thirty.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the report; an interrupted run goes on from it.")] = Path(
        "out/warfarin"
    ),
) -> None:
    """Wu et al. 2015: can a clinic publish a warfarin dosing model under strong privacy?"""
    from equipoise.cli.reproduce import reproduce_warfarin

    reproduce_warfarin(out, data, quick)
