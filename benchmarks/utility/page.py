"""The page that shows the results: claims first, then figures, then every table."""

from __future__ import annotations

from benchmarks.utility import plan, problems
from benchmarks.utility.claims import SENTENCES
from benchmarks.utility.compare import ORACLE, PEER, RULE, Results, score
from benchmarks.utility.contenders.contract import DELTA, EPSILONS
from benchmarks.utility.problem import DESIGN, ONCE
from benchmarks.utility.results import Result

PLACES = {DESIGN: "looked at while designing", ONCE: "looked at once, at the end"}
SHOWN = (0.1, 1.0, 10.0)

INTRODUCTION = """# What a private model is worth

Written by `equipoise bench accuracy`; nothing on this page is typed by hand. The figures, with standard errors and all
measures (accuracy, AUC, log-loss, Brier, R², MSE), are in [{csv}]({csv_link}), one line for each problem, contender, ε
and δ.

**Protocol.** Every contender gets the same rows (four fifths to learn from, one fifth to be judged by, another split
for each seed), the same encoding and the same public bounds, written by hand from what a column means and never read
off a file. {seeds} Real tables with more than 100,000 rows are cut to a fixed random part. Neighbours differ by one
replaced row; DP-EBM's ε is for one row added or removed, which is the weaker promise, and diffprivlib's models
[keep less than they promise](peers.md). ε is 0.1, 0.3, 1, 3 or 10, δ is 0 or 10⁻⁶; what is private with δ = 0 is also
compared at δ = 10⁻⁶. Noise of Equipoise is never seeded, so last digits change from run to run.

**Two sets of tables.** Some may be looked at while the library is designed; the others are run with Equipoise once, at
the end, and nothing is changed afterwards. Peers were run on all of them at any time.

{sets}

**Words.** *Excess* is what a model lacks to the optimum without privacy, in accuracy or R² (at most {largest} counts).
*Out of the box* is a peer with its own defaults. A *rule* chooses a peer's settings from public facts, by us, for the
peer's good. An *oracle* is a peer whose settings were chosen on the test rows: nobody could be that good. Where "the
best" of several is taken, it is the best in that very cell.
"""


def page(results: Results, csv: tuple[str, str], figures: tuple[str, ...]) -> str:
    """The whole page."""
    counts = ", ".join(
        f"{count} seeds up to {limit:,.0f} numbers" if limit != float("inf") else f"{count} beyond"
        for limit, count in plan.SEEDS
    )
    seeds = f"Seeds by the size of the training rows: {counts}; oracles and single mechanisms have fewer."
    text = INTRODUCTION.format(csv=csv[0], csv_link=csv[1], seeds=seeds, sets=_sets(), largest=2)
    parts = [text, "## What was to be shown", claims(results)]
    parts += [
        f"![{'Mean excess error' if 'excess' in name else 'Accuracy'} against epsilon]({name})" for name in figures
    ]
    for place, words in PLACES.items():
        for task, kind in (("classification", False), ("regression", True)):
            body = _table(results, place, kind)
            if body:
                parts += [f"## Tables {words}: {task}", body]
    parts += _by_mechanism(results) + _failures(results)
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def claims(results: Results) -> str:
    """Each sentence, for both sets."""
    lines = [f"| claim | {' | '.join(f'tables {words}' for words in PLACES.values())} |", "|---|---|---|"]
    for sentence in SENTENCES:
        cells = []
        for place in PLACES:
            measured, verdict = sentence.find(results, place)
            cells.append(f"{measured + ': ' if measured else ''}**{verdict}**")
        lines.append(f"| {sentence.statement} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _sets() -> str:
    lines = ["| set | tables |", "|---|---|"]
    for place, words in PLACES.items():
        own = [spec for spec in problems.SPECS.values() if spec.place == place]
        sources = list(dict.fromkeys(spec.source for spec in own))
        told = "; ".join(
            f"{source}: {', '.join(spec.name for spec in own if spec.source == source)}" for source in sources
        )
        lines.append(f"| {words} | {told} |")
    lines.append("| for additive models | as above, but cod_rna counts as looked at once |")
    return "\n".join(lines)


def _table(results: Results, place: str, regression: bool) -> str:
    """At three prices: ours, the best of each kind, and the two references."""
    own = [each for each in results.of("auto", place, DELTA) if (each.task == "regression") == regression]
    if not own:
        return ""
    measure = "R²" if regression else "accuracy"
    head = ["table (n, d)", "constant", *(f"ε = {price:g}" for price in SHOWN), "not private"]
    lines = [
        f"{measure}, δ = 10⁻⁶: **auto** ± standard error / best peer out of the box / best rule / best oracle.",
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
    ]
    for name in dict.fromkeys(each.problem for each in own):
        rows = {each.epsilon: each for each in own if each.problem == name}
        first = next(iter(rows.values()))
        ends = [results.reference(name, which) for which in ("constant", "not private")]
        cells = [_cell(results, rows.get(price)) for price in SHOWN]
        sides = ["" if end is None else _number(score(end)) for end in ends]
        lines.append(f"| {name} ({first.n:,}, {first.d:,}) | {sides[0]} | {' | '.join(cells)} | {sides[1]} |")
    return "\n".join(lines)


def _cell(results: Results, own: Result | None) -> str:
    if own is None:
        return ""
    error = own.r2_se if own.task == "regression" else own.accuracy_se
    mine = "failed" if own.failed else f"**{_number(score(own))}** ± {_number(error or 0.0)}"
    rivals = [results.best(own, kinds) for kinds in ([PEER], [RULE], [ORACLE])]
    return " / ".join([mine, *("–" if each is None else _number(score(each)) for each in rivals)])


def _number(value: float) -> str:
    """Without a leading zero; disasters are only named."""
    if value < -9.99:
        return "< −10"
    return (
        f"{value:.3f}".replace("0.", ".", 1).replace("-", "−") if abs(value) < 1 else f"{value:.2f}".replace("-", "−")
    )


def _by_mechanism(results: Results) -> list[str]:
    """How often "auto" took what, and how the mechanisms by name compare with it."""
    own = [each for each in results.of("auto", None) if not each.failed]
    if not own:
        return []
    taken = sorted({each.mechanism for each in own})
    counts = ", ".join(f"{name} in {sum(each.mechanism == name for each in own)}" for name in taken)
    text = f"## What auto took\n\nOf {len(own)} cells: {counts}."
    return [text, *_measures(results)]


def _measures(results: Results) -> list[str]:
    """AUC, log-loss and Brier score beside accuracy, means over the tables of both sets at δ = 10⁻⁶."""
    names = [
        name for name in ("auto", "additive", "DP-EBM", "noisy gd rule", "tight objective rule") if _any(results, name)
    ]
    prices = EPSILONS
    lines = ["## Probabilities", "", "Means over the two-class tables on which all of these were run, δ = 10⁻⁶.", ""]
    lines += [f"| measure | contender | {' | '.join(f'ε = {price:g}' for price in prices)} |", "|" + "---|" * 7]
    shared = _shared(results, names)
    if not shared:
        return []
    for measure in ("accuracy", "auc", "log_loss", "brier"):
        for name in names:
            cells = [_mean(results, shared, name, price, measure) for price in prices]
            lines.append(f"| {measure.replace('_', '-')} | {name} | {' | '.join(cells)} |")
    return ["\n".join(lines), f"Tables: {', '.join(shared)}."]


def _any(results: Results, name: str) -> bool:
    return bool(results.of(name, None, DELTA))


def _shared(results: Results, names: list[str]) -> list[str]:
    sets = [
        {each.problem for each in results.of(name, None, DELTA) if each.task == "binary" and not each.failed}
        for name in names
    ]
    return sorted(set.intersection(*sets)) if sets else []


def _mean(results: Results, shared: list[str], name: str, price: float, measure: str) -> str:
    found = [results.get(problem, name, price, DELTA) for problem in shared]
    values = [float(getattr(each, measure)) for each in found if each is not None]
    return _number(sum(values) / len(values)) if values else "–"


def _failures(results: Results) -> list[str]:
    failed = [each for each in results.cells.values() if each.failed]
    if not failed:
        return []
    lines = ["## Failures", "", "| table | contender | ε, δ | error |", "|---|---|---|---|"]
    for each in sorted(failed, key=lambda each: (each.contender, each.problem, each.delta, each.epsilon)):
        lines.append(f"| {each.problem} | {each.contender} | {each.epsilon:g}, {each.delta:g} | {each.failed} |")
    return ["\n".join(lines)]
