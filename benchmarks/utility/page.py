"""The page that shows the results: claims first, then figures, then every table."""

from __future__ import annotations

from benchmarks.utility import foretold, plan, problems
from benchmarks.utility.claims import SENTENCES
from benchmarks.utility.compare import ORACLE, PEER, RULE, Results, score
from benchmarks.utility.contenders import CONTENDERS
from benchmarks.utility.contenders.contract import DELTA, EPSILONS, FEW_EPSILONS
from benchmarks.utility.problem import DESIGN, FRESH, SEEN
from benchmarks.utility.results import Result
from benchmarks.utility.rivals import additive_models, one_by_one, told

PLACES = {FRESH: "never seen before", SEEN: "seen since", DESIGN: "designed on"}
SHOWN = (0.1, 1.0, 10.0)

INTRODUCTION = """# What a private model is worth

Written by `equipoise bench accuracy`; nothing on this page is typed by hand. The figures, with standard errors and all
measures (accuracy, AUC, log-loss, Brier, R², MSE), are in [{csv}]({csv_link}), one line for each problem, contender, ε
and δ.

**Protocol.** Every contender gets the same rows (four fifths to learn from, one fifth to be judged by, another split
for each seed), the same encoding and the same public bounds, written by hand from what a column means and never read
off a file. {seeds} {cuts} Real tables with more than 100,000 rows are cut to a fixed random part. Neighbours differ by
one replaced row; DP-EBM's ε is for one row added or removed, which is the weaker promise, and diffprivlib's models
[keep less than they promise](peers.md). ε is 0.1, 0.3, 1, 3 or 10, δ is 0 or 10⁻⁶; what is private with δ = 0 is also
compared at δ = 10⁻⁶. Noise of Equipoise is never seeded, so last digits change from run to run.

**Three sets of tables.** *Designed on*: looked at while the library is made. *Seen since*: played no part until they
were run once; then their results were known, and the defaults of today were made with them in view. *Never seen
before*: no part in the making of any default, but for one choice among three that was made after a look at them
([0080](../decisions/0080-rows-that-hardly-fill-their-bounds.md)); these decide. Peers were run on all of them at any
time. Lines of Equipoise on other tables may be of earlier versions: the file says which.

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
    seeds = f"Seeds by the size of the training rows: {counts}."
    text = INTRODUCTION.format(
        csv=csv[0], csv_link=csv[1], seeds=seeds, cuts=_cuts(results), sets=_sets(results), largest=2
    )
    parts = [text, "## What was to be shown", claims(results)]
    parts += [
        f"![{'Mean excess error' if 'excess' in name else 'Accuracy'} against epsilon]({name})" for name in figures
    ]
    parts += [one_by_one(results, PLACES), additive_models(results, PLACES)]
    for place, words in PLACES.items():
        for task, kind in (("classification", False), ("regression", True)):
            body = _table(results, place, kind)
            if body:
                parts += [f"## Tables {words}: {task}", body]
    decisive = {place: words for place, words in PLACES.items() if place != SEEN}  # plans of the others take minutes
    parts += [foretold.section(results, decisive), *_by_mechanism(results), *_failures(results)]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def claims(results: Results) -> str:
    """Each sentence, for every set."""
    lines = [f"| claim | {' | '.join(f'tables {words}' for words in PLACES.values())} |", "|" + "---|" * 4]
    for sentence in SENTENCES:
        cells = []
        for place in PLACES:
            measured, verdict = sentence.find(results, place)
            cells.append(f"{measured + ': ' if measured else ''}**{verdict}**")
        lines.append(f"| {sentence.statement} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cuts(results: Results) -> str:
    """Who has fewer seeds or prices than the protocol says, by the contenders' own lists and by what is in the file."""
    fewer = [f"{each.name} {each.most_seeds}" for each in CONTENDERS.values() if each.most_seeds < plan.SEEDS[0][1]]
    three = [each.name for each in CONTENDERS.values() if each.epsilons == FEW_EPSILONS]
    seeds = sorted({each.seeds for each in results.of("auto", None) if not each.failed})
    told = f"Beyond the first size at most so many: {', '.join(fewer)}."
    told += f" Only ε = {_listed(FEW_EPSILONS)}: {', '.join(three)}."
    return told + (f" Lines of auto have {seeds[0]} to {seeds[-1]} seeds, as the file says." if seeds else "")


def _listed(prices: tuple[float, ...]) -> str:
    return ", ".join(f"{price:g}" for price in prices)


def _sets(results: Results) -> str:
    lines = ["| set | tables | not run with auto |", "|---|---|---|"]
    run = {each.problem for each in results.of("auto", None, DELTA)}
    for place, words in PLACES.items():
        own = [spec for spec in problems.SPECS.values() if spec.place == place]
        sources = list(dict.fromkeys(spec.source for spec in own))
        told = "; ".join(
            f"{source}: {', '.join(spec.name for spec in own if spec.source == source)}" for source in sources
        )
        lines.append(f"| {words} | {told} | {', '.join(spec.name for spec in own if spec.name not in run) or '–'} |")
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
    return told(value)


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
    """AUC, log-loss and Brier score beside accuracy, means over the tables of all sets at δ = 10⁻⁶."""
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
