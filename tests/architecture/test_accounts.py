"""What things cost is made in theory/: the rest of the library calls it, and neither makes events nor reckons slack."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from tests.architecture.trees import SOURCE, files, nodes, source

from equipoise.theory.events import Event

EVENTS = {kind.__name__ for kind in get_args(Event)}
SLACK = "equipoise.theory.accounting.slack"
TOLD = {"FINE", "FINE_BITS", "TILT_BITS", "LARGEST_DIM", "check_lattice", "NO_SLACK", "Slack"}
"""What others may know of slack: how fine the grids are, for which laws it was proved, that there is such a thing."""


def elsewhere(*allowed: str) -> list[Path]:
    """Every file that is not in these folders."""
    folders = [SOURCE / name for name in allowed]
    found = [path for path in files() if not any(path.is_relative_to(folder) for folder in folders)]
    assert len(found) > 200
    return found


def named(node: ast.AST) -> str | None:
    """The last part of what a node names, by itself, after a dot or in quotes."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def only_read(text: str) -> Iterator[ast.AST]:
    """Where naming a class makes nothing of it: annotations, `isinstance` and the patterns of `match`."""
    for node in nodes(text):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield node.returns
        elif isinstance(node, ast.Call) and named(node.func) == "isinstance":
            yield node.args[1]
        elif isinstance(node, ast.MatchClass):
            yield node.cls


def uses(text: str, classes: set[str]) -> list[int]:
    """Lines that could make one of these classes: by calling it, or by handing it to somebody under whatever name."""
    harmless = {id(part) for place in only_read(text) for part in ast.walk(place)}
    lines = []
    for node in nodes(text):
        if isinstance(node, ast.alias):
            lines += [node.lineno] * (node.name in classes and node.asname is not None)
        elif isinstance(node, ast.expr) and id(node) not in harmless:
            lines += [node.lineno] * (named(node) in classes)
    return lines


def makes_events(text: str) -> list[int]:
    """Lines that could make an event, or change one that is there."""
    calls = [node for node in nodes(text) if isinstance(node, ast.Call) and node.args]
    copies = [node for node in calls if named(node.func) == "replace"]
    changed = [node for node in copies if (named(node.args[0]) or "").endswith("event")]
    return uses(text, EVENTS) + [node.lineno for node in changed]


def reckons_slack(text: str) -> list[int]:
    """Lines that reach for what says how far a drawn law is from its theorem's, or could make such a statement."""
    lines = uses(text, {"Slack", SLACK})
    for node in nodes(text):
        if isinstance(node, ast.Import):
            lines += [node.lineno for alias in node.names if alias.name == SLACK]
        elif isinstance(node, ast.ImportFrom):
            taken = {alias.name for alias in node.names}
            whole = node.module == SLACK.rpartition(".")[0] and "slack" in taken
            beyond = node.module == SLACK and taken - TOLD
            hidden = (node.module or "").startswith("equipoise.theory") and any(name[0] == "_" for name in taken)
            lines += [node.lineno] * bool(whole or beyond or hidden)
    return lines


def test_events_are_made_in_theory_alone() -> None:
    """Audits may: they state what strangers' procedures cost."""
    for path in elsewhere("theory", "audit"):
        assert not makes_events(source(path)), f"{path.name} makes an event of its own"


def test_slack_is_reckoned_in_theory_alone() -> None:
    for path in elsewhere("theory"):
        assert not reckons_slack(source(path)), f"{path.name} reckons with slack"


@pytest.mark.parametrize(
    "text",
    [
        "event = PureRelease(epsilon)",
        "event = events.GaussianRelease(mu)",
        "from equipoise.theory.events import Composed as Several",
        "kind = BoundedRangeRelease\nevent = kind(1.0)",
        "event = partial(PureRelease, 1.0)()",
        "event = getattr(events, 'RenyiRelease')(orders, epsilons)",
        "event = replace(plan.event, epsilon=0.1)",
    ],
)
def test_an_event_made_elsewhere_is_noticed(text: str) -> None:
    assert makes_events(text)


def test_reading_an_event_is_not_making_one() -> None:
    harmless = """
from equipoise.theory.events import PureRelease
def pure(event: Event) -> PureRelease | None:
    return event if isinstance(event, PureRelease) else None
match event:
    case GaussianRelease(mu=mu):
        spent: PureRelease = pure_release(mu)
plan = replace(plan, notes=())
"""
    assert not makes_events(harmless)


@pytest.mark.parametrize(
    "text",
    [
        "from equipoise.theory.accounting.slack import delta_numeric",
        "from equipoise.theory.accounting.slack import gaussian_on_grid as room",
        "from equipoise.theory.accounting import slack",
        "import equipoise.theory.accounting.slack",
        "from equipoise.theory.accounting.room import _left_after",
        "noise = Slack(0.0, 0.0)",
    ],
)
def test_slack_reckoned_elsewhere_is_noticed(text: str) -> None:
    assert reckons_slack(text)
    assert not reckons_slack("from equipoise.theory.accounting.slack import FINE, Slack\ndef told() -> Slack: ...")
