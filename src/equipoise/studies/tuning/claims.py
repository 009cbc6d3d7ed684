"""The claims of Chaudhuri and Vinterbo 2013 about tuning, each checked against what was measured.

A rule decides, and is printed with the verdict.  Differences are taken fold by fold, and count when their bootstrap
interval does not hold zero.
"""

from __future__ import annotations

from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN, Claim
from equipoise.studies.tuning.histogram import AUTO, BINS
from equipoise.studies.tuning.methods import BY_KEY
from equipoise.studies.tuning.summary import Cell, Summary

HIGHER_IS_BETTER = {"auc": True, "mse": False, "ise": False}
NAMES = {"auc": "AUC", "mse": "MSE", "ise": "ISE"}
PAPERS = ("budget", "data", "random")
OURS = ("stop", "auto")
NOTHING = "nothing: these came later"


def check_claims(summary: Summary) -> tuple[Claim, ...]:
    """Table by table, then the histograms."""
    found = []
    for table in summary.tables():
        found += [beats(summary, table, "auc", ("budget",), "Stability is better"), *_others(summary, table)]
    return (*found, bins_follow(summary))


def _others(summary: Summary, table: str) -> tuple[Claim, ...]:
    return (
        beats(summary, table, "auc", ("data",), "Stability is better"),
        beats(summary, table, "mse", PAPERS, "Stability is better than every private alternative"),
        random_wins(summary, table, "auc"),
        random_wins(summary, table, "mse"),
        beats(summary, table, "auc", OURS, NOTHING),
        beats(summary, table, "mse", OURS, NOTHING),
    )


def better(cell: Cell, measure: str) -> int:
    """1 if the difference is surely for the first method, −1 if surely against it, else 0."""
    sign = 1 if HIGHER_IS_BETTER[measure] else -1
    return sign * ((cell.low > 0) - (cell.high < 0))


def beats(summary: Summary, table: str, measure: str, others: tuple[str, ...], paper: str) -> Claim:
    """Stability against each of the others, at every ε."""
    names = ", ".join(BY_KEY[other].label for other in others)
    told, verdicts = [], []
    for other in others:
        gains = [
            (level, gain)
            for level in summary.epsilons(table)
            if (gain := summary.gain(table, "stability", other, level, measure)) is not None
        ]
        verdicts += [better(gain, measure) for _, gain in gains]
        if gains:
            told.append(f"{BY_KEY[other].label}: {_won(gains, measure)}")
    return Claim(
        f"{table}: Stability beats {names} in {NAMES[measure]}",
        paper,
        f"its {NAMES[measure]} is better at every ε tried, each time by more than the interval of the difference",
        "; ".join(told),
        (HOLDS if min(verdicts) > 0 else FAILS) if verdicts else UNKNOWN,
    )


def _won(gains: list[tuple[float, Cell]], measure: str) -> str:
    kinds = {1: "better at ε = ", -1: "worse at ", 0: "no difference at "}
    parts = []
    for kind, words in kinds.items():
        levels = [f"{level:g} ({gain.mean:+.3f})" for level, gain in gains if better(gain, measure) == kind]
        if levels:
            parts.append(words + ", ".join(levels))
    return "; ".join(parts)


def random_wins(summary: Summary, table: str, measure: str) -> Claim:
    """Where a setting drawn blindly does better than a chosen one."""
    wins, known = [], 0
    for level in summary.epsilons(table):
        gains = {
            key: gain
            for key in ("stability", "budget", "data")
            if (gain := summary.gain(table, "random", key, level, measure)) is not None
        }
        known += len(gains)
        beaten = [BY_KEY[key].label for key, gain in gains.items() if better(gain, measure) > 0]
        if beaten:
            wins.append(f"ε = {level:g}: better than {', '.join(beaten)}")
    return Claim(
        f"{table}: there are ε at which Random beats a method that chooses, in {NAMES[measure]}",
        "said to happen in places",
        "its mean is better than that of Stability, alphaSplit or dataSplit by more than the interval at some ε",
        "; ".join(wins) or "nowhere",
        (HOLDS if wins else FAILS) if known else UNKNOWN,
    )


def bins_follow(summary: Summary) -> Claim:
    """The chosen bin count against every fixed one, over all columns and ε."""
    worst, places = 0.0, 0
    lost = []
    for column in summary.columns():
        for level in summary.epsilons(column):
            chosen = summary.get(column, AUTO, level, "ise")
            fixed = [cell for bins in BINS[1:] if (cell := summary.get(column, bins, level, "ise")) is not None]
            if chosen is None or not fixed:
                continue
            places += 1
            ratio = chosen.mean / min(cell.mean for cell in fixed)
            worst = max(worst, ratio)
            if not all(chosen.mean <= cell.mean for cell in fixed) and ratio > 2:
                lost.append(f"{column} at ε = {level:g} ({ratio:.1f}×)")
    return Claim(
        "Histograms: bins chosen privately are nearly as good as the best fixed number, which nobody knows beforehand",
        "a private choice of the bin width is possible at no extra cost in ε per candidate",
        "mean ISE at most twice that of the best of the fixed numbers, for every column and ε",
        f"worst ratio {worst:.2f} over {places} places" + (f"; above two: {', '.join(lost)}" if lost else ""),
        (HOLDS if worst <= 2 else FAILS) if places else UNKNOWN,
    )
