"""`equipoise ledger`: make an account, and read what it says.  Making and opening are different acts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise._checks import quoted
from equipoise.cli import screen
from equipoise.cli.options import Json
from equipoise.errors import InvalidInput, UnreadableFile

if TYPE_CHECKING:
    from equipoise.ledger import Record, SQLLedger

app = typer.Typer(
    help="Privacy accounts: what may be spent, and what was.  Only `new` makes anything.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Place = Annotated[str, typer.Argument(help="A SQLite file, or a SQLAlchemy URL of a server.", show_default=False)]
Name = Annotated[str, typer.Option(help="The account; one ledger may hold several.")]


@app.command()
def new(
    ledger: Place,
    epsilon: Annotated[float | None, typer.Option(help="The limit on ε.", show_default=False)] = None,
    delta: Annotated[float, typer.Option(help="The limit on δ.")] = 0.0,
    unlimited: Annotated[bool, typer.Option("--unlimited", help="Record without limiting.")] = False,
    name: Name = "default",
    adjacency: Annotated[str, typer.Option(help="replace-one or add-remove.")] = "replace-one",
    unit: Annotated[str, typer.Option(help="Whom the account protects: row or person.")] = "row",
    prices: Annotated[str, typer.Option(help="adaptive, sums or fixed; see docs/proofs/accounting.md.")] = "adaptive",
    as_json: Json = False,
) -> None:
    """Make an account with a limit.

    \b
    Examples:
      equipoise ledger new privacy.db --epsilon 3 --delta 1e-6
      equipoise ledger new privacy.db --epsilon 1 --unit person --name visits
    """
    from equipoise.ledger import SQLLedger

    if (epsilon is None) != unlimited:
        raise InvalidInput("epsilon: give --epsilon for the limit, or --unlimited for an account without one, not both")
    _refuse_existing(ledger, name)
    limit = math.inf if epsilon is None else epsilon
    made = SQLLedger(ledger, limit, delta, name, adjacency=adjacency, unit=unit, prices=prices)
    _show(made, as_json)


@app.command()
def show(ledger: Place, name: Name = "default", as_json: Json = False) -> None:
    """Limit, spent and left of one account.

    \b
    Example:
      equipoise ledger show privacy.db
    """
    _show(opened(ledger, name), as_json)


@app.command()
def entries(ledger: Place, name: Name = "default", as_json: Json = False) -> None:
    """Every entry of one account: when, what for, what it cost.  A reserved entry counts as spent.

    \b
    Example:
      equipoise ledger entries privacy.db --json
    """
    found = [_entry(record) for record in opened(ledger, name).entries()]
    if as_json:
        screen.tell_json(found)
        return
    rows = [_shown(each) for each in found]
    screen.results().print(screen.table(f"Account {name}, times in UTC", ("#", "when", "for", "cost"), rows))


@app.command()
def limits(ledger: Place, as_json: Json = False) -> None:
    """Every account of a ledger, with its limit and what is left.

    \b
    Example:
      equipoise ledger limits privacy.db
    """
    from equipoise.ledger.accounts import account_names

    with _way_out():
        names = account_names(ledger)
    found = [_state(opened(ledger, name)) for name in names]
    if as_json:
        screen.tell_json(found)
        return
    rows = [tuple(words for _, words in _facts(state)) for state in found]
    head = tuple(name for name, _ in _facts(found[0])) if found else ("account",)
    screen.results().print(screen.table(f"Accounts of {ledger}", head, rows))


def _shown(entry: dict[str, Any]) -> tuple[str, ...]:
    """Few and short columns, so that no word is broken on a terminal of 80; JSON has every digit."""
    when = str(entry["time"])[:16].replace("T", " ")
    kept = "" if entry["state"] == "committed" else f" ({entry['state']})"
    return str(entry["number"]), when, f"{entry['label']}{kept}, {entry['neighbours']}", str(entry["cost"])


def _refuse_existing(ledger: str, name: str) -> None:
    try:
        opened(ledger, name)
    except (InvalidInput, UnreadableFile):
        return  # no such file or no such account; what is really wrong with a file, making the account tells
    raise InvalidInput(
        f"name={quoted(name)}: the account is already there, see it with: equipoise ledger show {ledger}"
    )


def opened(ledger: str, name: str) -> SQLLedger:
    """An account that is there; a slip in its path or name makes nothing."""
    from equipoise.ledger import SQLLedger

    with _way_out():
        return SQLLedger(ledger, name=name)


def file_of(ledger: str) -> Path | None:
    """The file of a ledger that is kept in one."""
    from equipoise.ledger.place import find_place

    return find_place(ledger).file


@contextmanager
def _way_out() -> Iterator[None]:
    """The library tells a caller to give epsilon; here the way out is a command."""
    try:
        yield
    except (InvalidInput, UnreadableFile) as problem:
        what, mark, _ = str(problem).partition("; check ")
        way_out = "; check path, folder and name, or make it with: equipoise ledger new" if mark else ""
        raise type(problem)(f"{what}{way_out}") from None


def _show(account: SQLLedger, as_json: bool) -> None:
    state = _state(account)
    if as_json:
        screen.tell_json(state)
        return
    screen.results().print(screen.table("", ("", ""), _facts(state)))


def _state(account: SQLLedger) -> dict[str, Any]:
    spent, left, limit = account.spent(), account.remaining(), account.limit
    return {
        "account": account.name,
        "adjacency": str(account.neighbours.adjacency),
        "unit": str(account.neighbours.unit),
        "limit": None if limit is None else {"epsilon": limit.epsilon, "delta": limit.delta},
        "spent": {"epsilon": _finite(spent.epsilon), "delta": spent.delta, "delta_numeric": spent.delta_numeric},
        "left": None if left is None else {"epsilon": left.epsilon, "delta": left.delta},
        "entries": len(account.entries()),
    }


def _facts(state: dict[str, Any]) -> list[tuple[str, ...]]:
    from equipoise.outside.pages import at_most, readable

    spent, limit, left = state["spent"], state["limit"], state["left"]
    used = "no bound" if spent["epsilon"] is None else at_most(spent["epsilon"], 4)
    return [
        ("account", state["account"]),
        ("protects", f"one {state['unit']} ({state['adjacency']})"),
        ("limit", "none" if limit is None else f"ε = {readable(limit['epsilon'])}, δ = {readable(limit['delta'])}"),
        ("spent", f"ε ≤ {used} at δ = {readable(spent['delta'])}"),
        ("left", "no limit" if left is None else f"ε = {at_least(left['epsilon'])}, δ = {at_least(left['delta'])}"),
        ("entries", str(state["entries"])),
    ]


def at_least(value: float, digits: int = 4) -> str:
    """Rounded down: what is left is never overstated."""
    from equipoise.outside.pages import readable

    if value <= 0:
        return "0"
    place = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return readable(math.floor(value / place) * place, digits)


def _entry(record: Record) -> dict[str, Any]:
    from equipoise.theory.events import to_dict

    event = to_dict(record.event)
    kind = str(event.get("kind", type(record.event).__name__))
    return {
        "number": record.id,
        "time": record.time.isoformat(timespec="seconds"),
        "state": record.state,
        "label": record.label,
        "neighbours": str(record.neighbours),
        "cost": ", ".join([kind, *(f"{name}={value:g}" for name, value in event.items() if _simple(value))]),
        "event": event,
    }


def _simple(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value != 0


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
