"""The sentences that the comparison is to decide, each computed from the results file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchmarks.utility.compare import ORACLE, PEER, RULE, Results, not_behind, score
from benchmarks.utility.contenders.contract import DELTA
from benchmarks.utility.results import Result
from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN

Finding = tuple[str, str]
NOTHING: Finding = ("", UNKNOWN)


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is claimed, and how it is found on the tables of a set."""

    statement: str
    find: Callable[[Results, str], Finding]


def never_behind(results: Results, place: str) -> Finding:
    """Share of cells in which no peer out of the box is ahead by more than a standard error."""
    own = [each for each in results.of("auto", place) if results.rivals(each, [PEER], "linear")]
    ahead = [all(not_behind(each, rival) for rival in results.rivals(each, [PEER], "linear")) for each in own]
    strict = [all(not_behind(each, rival) for rival in results.rivals(each, [PEER])) for each in own]
    if not own:
        return NOTHING
    told = f"{share(ahead)} of {len(own)} cells; {share(strict)} with DP-EBM among the peers"
    return told, _verdict(sum(ahead) >= 0.95 * len(own))


def half_of_peers(results: Results, place: str) -> Finding:
    """Mean excess against the best peer out of the box."""
    return _excess(results, place, [PEER], 0.5)


def less_than_rules(results: Results, place: str) -> Finding:
    """Mean excess against the best data-free rule."""
    return _excess(results, place, [RULE], 0.8)


def level_with_oracles(results: Results, place: str) -> Finding:
    """Share of cells in which no oracle is ahead by more than a standard error."""
    own = [each for each in results.of("auto", place, DELTA) if results.rivals(each, [ORACLE], "linear")]
    level = [all(not_behind(each, rival) for rival in results.rivals(each, [ORACLE], "linear")) for each in own]
    if not own:
        return NOTHING
    return f"{share(level)} of {len(own)} cells", _verdict(sum(level) >= 0.75 * len(own))


def regression_halves(results: Results, place: str) -> Finding:
    """From ε = 0.3 on."""
    own = [each for each in results.of("auto", place, DELTA) if each.task == "regression" and each.epsilon >= 0.3]
    parts, holds = [], True
    for name in ("AdaSSP", "noisy gd rule"):
        found = [(each, results.get(each.problem, name, each.epsilon, DELTA)) for each in own]
        part = ratio(results, [(each, rival) for each, rival in found if rival is not None])
        if part is None:
            return NOTHING
        parts.append(f"{part:.2f} of {name}'s")
        holds = holds and part <= 0.5
    return ", ".join(parts), _verdict(holds)


def something_learnt(results: Results, place: str) -> Finding:
    """At ε = 1, where there are 5,000 rows, at most twenty columns, and something to learn."""
    own, low = [], []
    for each in results.of("auto", place, DELTA):
        best = results.reference(each.problem, "not private")
        asked = each.task == "regression" and each.epsilon == 1 and each.n >= 4000 and each.d <= 20
        if asked and best is not None and score(best) > 0.02:
            own.append(each)
            if score(each) <= 0:
                low.append(each.problem)
    if not own:
        return NOTHING
    told = f"{len(own) - len(low)} of {len(own)} tables" + (f", not {', '.join(low)}" if low else "")
    return told, _verdict(not low)


def more_is_better(results: Results, place: str) -> Finding:
    """No step up in ε that costs more than three standard errors (false alarms: one in 740 steps)."""
    steps, drops = 0, []
    for each in results.of("auto", place):
        higher = [other for other in results.of("auto", place, each.delta) if other.problem == each.problem]
        above = min((other for other in higher if other.epsilon > each.epsilon), key=lambda x: x.epsilon, default=None)
        if above is None or each.failed:
            continue
        steps += 1
        if not not_behind(above, each, 3.0):
            drops.append(f"{each.problem} at {above.epsilon:g}{' (δ = 0)' if each.delta == 0 else ''}")
    if not steps:
        return NOTHING
    shown = f": {', '.join(drops[:4])}{' …' if len(drops) > 4 else ''}" if drops else ""
    return f"{len(drops)} drops in {steps} steps{shown}", _verdict(not drops)


def above_constant(results: Results, place: str) -> Finding:
    """Share of cells that are not behind one answer for everybody, which looks at the rows without paying."""
    own = results.of("auto", place)
    pairs = [(each, results.reference(each.problem, "constant")) for each in own]
    good = [not_behind(each, other) for each, other in pairs if other is not None]
    return (f"{share(good)} of {len(good)} cells", _verdict(all(good))) if good else NOTHING


def additive_ahead(results: Results, place: str) -> Finding:
    """In both measures of the task."""
    good = []
    for each in results.of("additive", place, DELTA):
        rival = results.get(each.problem, "DP-EBM", each.epsilon, DELTA)
        if rival is not None and not each.failed:
            names = ("r2",) if each.task == "regression" else ("accuracy", "auc")
            good.append(all(getattr(each, name) >= getattr(rival, name) for name in names))
    return (f"{share(good)} of {len(good)} cells", _verdict(sum(good) >= 0.9 * len(good))) if good else NOTHING


def additive_not_behind(results: Results, place: str) -> Finding:
    """Within one standard error, in accuracy or R², of the linear model that nobody tuned."""
    pairs = [
        (each, results.get(each.problem, "auto", each.epsilon, DELTA)) for each in results.of("additive", place, DELTA)
    ]
    good = [not_behind(each, other) for each, other in pairs if other is not None]
    return (f"{share(good)} of {len(good)} cells", _verdict(sum(good) >= 0.9 * len(good))) if good else NOTHING


SENTENCES = (
    Sentence("auto is not behind any linear peer out of the box (one standard error) in 95% of cells", never_behind),
    Sentence("its mean excess error is at most half of the best such peer's, peers chosen cell by cell", half_of_peers),
    Sentence("its mean excess error is at most 0.8 of the best data-free rule's", less_than_rules),
    Sentence("it is not below peers tuned on the test rows in 75% of cells", level_with_oracles),
    Sentence("regression from ε = 0.3 on: excess at most half of AdaSSP's and of the rule's", regression_halves),
    Sentence("R² > 0 at ε = 1 on every table with 5,000 rows and at most 20 columns", something_learnt),
    Sentence("more ε never hurts (three standard errors)", more_is_better),
    Sentence("auto is never below the constant answer (one standard error)", above_constant),
    Sentence("additive models are ahead of DP-EBM in AUC and accuracy, or in MSE, in 90% of cells", additive_ahead),
    Sentence("additive models are not behind linear ones (one standard error) in 90% of cells", additive_not_behind),
)


def _excess(results: Results, place: str, kinds: list[str], limit: float) -> Finding:
    """By task, all ε together, then ε by ε."""
    own = results.of("auto", place, DELTA)
    parts, holds = [], True
    for name, regression in (("classification", False), ("regression", True)):
        asked = [each for each in own if (each.task == "regression") == regression]
        found = [(each, results.best(each, kinds)) for each in asked]
        pairs = [(each, rival) for each, rival in found if rival is not None]
        whole = ratio(results, pairs)
        if whole is None:
            continue
        by_price = [
            ratio(results, [pair for pair in pairs if pair[0].epsilon == price])
            for price in sorted({each.epsilon for each, _ in pairs})
        ]
        details = " ".join("–" if value is None else f"{value:.2f}" for value in by_price)
        parts.append(f"{name} {whole:.2f} ({details}{_hardest(results, asked, kinds)})")
        holds = holds and whole <= limit
    return ("; ".join(parts), _verdict(holds)) if parts else NOTHING


def _hardest(results: Results, asked: list[Result], kinds: list[str]) -> str:
    """The rival that leaves the largest ratio by itself, over the cells that it serves."""
    names = {rival.contender for each in asked for rival in results.rivals(each, kinds, "linear")}
    found = []
    for name in sorted(names):
        pairs = [(each, results.get(each.problem, name, each.epsilon, each.delta)) for each in asked]
        part = ratio(results, [(each, rival) for each, rival in pairs if rival is not None])
        if part is not None:
            found.append((part, name))
    return f"; hardest alone {max(found)[1]} {max(found)[0]:.2f}" if len(found) > 1 else ""


def ratio(results: Results, pairs: Iterable[tuple[Result, Result]]) -> float | None:
    """Of summed excesses; a failure of ours counts as the constant answer's."""
    ours = theirs = 0.0
    for own, rival in pairs:
        stand_in = results.reference(own.problem, "constant") if own.failed else own
        seeds = min(rival.seeds, (stand_in or rival).seeds)
        mine = None if stand_in is None else results.excess(stand_in, seeds)
        other = results.excess(rival, seeds)
        if mine is not None and other is not None:
            ours, theirs = ours + mine, theirs + other
    return ours / theirs if theirs > 0 else None


def share(good: list[bool]) -> str:
    return f"{100 * sum(good) / len(good):.0f}%"


def _verdict(holds: bool) -> str:
    return HOLDS if holds else FAILS
