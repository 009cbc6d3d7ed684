"""The claims of Dwork and Feldman 2018 about private prediction, and two of later work, checked against what was found.

A rule decides, and is printed with the verdict; rules were fixed before the full run.  Differences are taken repeat by
repeat, count when their bootstrap interval does not hold zero, and are not judged from a handful of repeats.
"""

from __future__ import annotations

from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN, Claim
from equipoise.studies.prediction.attacks import VICTIMS
from equipoise.studies.prediction.methods import BY_KEY
from equipoise.studies.prediction.summary import Place, Summary, answer_place, budget_place
from equipoise.studies.prediction.walks import BEST
from equipoise.studies.tuning.summary import Cell

SAME_NOISE = 1.1
MORE_NOISE = 2.0
ROUNDING = 1e-9
FEWEST_REPEATS = 5
"""Below, an interval of a difference is next to worthless and no verdict is given."""


def check_claims(summary: Summary) -> tuple[Claim, ...]:
    """Theorem by theorem."""
    tables = summary.tables()
    return (
        soft_majority(summary, "vote-trees"),
        soft_majority(summary, "vote-linear"),
        *(walk(summary, kind) for kind in BEST),
        noise_stays(summary),
        noise_grows(summary),
        *(answer_beats_model(summary, table) for table in tables),
        *(model_wins(summary, table) for table in tables),
        within_budget(summary),
        *(attack_allowed(summary, attack) for attack in ("threshold", "ratio")),
        *(open_leaks(summary, attack) for attack in ("threshold", "ratio")),
    )


def _enough(gains: list[Cell]) -> bool:
    return bool(gains) and min(gain.count for gain in gains) >= FEWEST_REPEATS


def _verdict(known: bool, holds: bool) -> str:
    return (HOLDS if holds else FAILS) if known else UNKNOWN


def soft_majority(summary: Summary, key: str) -> Claim:
    """The vote's error against the worst law of wrong voters with the mean that was measured."""
    ratios: list[tuple[float, Place]] = []
    for place in summary.places("answer"):
        found, bound = summary.get(place), summary.get(place, "vote_bound")
        if place[2] == key and found is not None and bound is not None:
            ratios.append((found.mean / bound.mean, place))
    worst, where = max(ratios) if ratios else (0.0, ("", "", key, 0.0, 0))
    return Claim(
        f"{BY_KEY[key].label}: the soft majority errs no more than its voters' own error allows",
        "Theorem 4.1: with r = 6·ln(4/α)/ε voters that err α/4 on average, the soft majority errs at most α",
        "mean error at most vote_error(voters' error, r, ε), the most that any voters with that mean can cause, at"
        " every table, ε and number of rows; voters' error measured on ten shards",
        f"at most {worst:.2f} of the bound, over {len(ratios)} places (there: {where[1]}, ε = {where[3]:g})",
        _verdict(bool(ratios), worst <= 1),
    )


def walk(summary: Summary, kind: str) -> Claim:
    """Mean error against the theorem, at every place."""
    ratios: list[tuple[float, str]] = []
    above = 0
    for place in summary.places("walk"):
        found, bound = summary.get(place), summary.get(place, "bound")
        if place[1] == kind and found is not None and bound is not None:
            ratios.append((found.mean / bound.mean, f"k = {place[2]}, ε = {place[3]:g}, n = {place[4]:,}"))
            above += found.low > bound.mean
    worst, where = max(ratios) if ratios else (0.0, "")
    paper = (
        "Theorem 5.3: excess at most α, from O(k·log(1/α)/(εα)) rows"
        if BEST[kind] == 0
        else "Theorem 5.3, agnostic: excess at most α, from O(k·log(1/α)/(εα) + …) rows"
    )
    return Claim(
        f"Walk, {kind} labels: the error on new rows is within Theorem 5.3 (corrected)",
        paper,
        "at no n, ε and number k of intervals does the interval of the mean error lie wholly above walk_bound (with the"
        " ceiling of T, and the drift term where no intervals fit)",
        f"at most {worst:.2f} of the bound, over {len(ratios)} places (there: {where})",
        _verdict(bool(ratios), above == 0),
    )


def _noise(summary: Summary, kind: str) -> tuple[str, float]:
    """Noise at the fewest and the most columns, told, and their ratio."""
    places = sorted(place for place in summary.places("width") if place[2] == kind)
    cells = [summary.get(place, "noise") for place in (places[0], places[-1])] if len(places) > 1 else []
    first, last = (cells[0], cells[-1]) if cells else (None, None)
    if first is None or last is None:
        return "", 0.0
    told = f"{first.mean:.3g} with {places[0][4]} columns, {last.mean:.3g} with {places[-1][4]}"
    return told, last.mean / first.mean


def noise_stays(summary: Summary) -> Claim:
    """Whether the noise in a stable answer's score is as small with many columns as with few."""
    told, ratio = _noise(summary, "stable")
    return Claim(
        "Stable answers: noise does not grow with the number of columns",
        "Corollary 4.11: no dimension in the bound",
        f"noise in a score, ridge fixed, at most {SAME_NOISE:g} times as large with the most columns as with the"
        " fewest",
        told,
        _verdict(ratio > 0, ratio <= SAME_NOISE),
    )


def noise_grows(summary: Summary) -> Claim:
    """Whether the noise in a released model's score grows with the columns."""
    told, ratio = _noise(summary, "model")
    return Claim(
        "A released model's noise does (pure ε, same ridge)",
        "releasing a model pays for every coefficient",
        f"at least {MORE_NOISE:g} times as large",
        told,
        _verdict(ratio > 0, ratio >= MORE_NOISE),
    )


def answer_beats_model(summary: Summary, table: str) -> Claim:
    """The same loss and ridge, asked or released, at equal ε and δ = 0."""
    levels = summary.epsilons("answer", table)
    gains = [
        (level, gain)
        for level in levels
        if (gain := summary.gain(answer_place(table, "stable", level), answer_place(table, "model", level))) is not None
    ]
    better = [level for level, gain in gains if gain.high < 0]
    worse = [level for level, gain in gains if gain.low > 0]
    told = "; ".join(f"ε = {level:g}: {gain.mean:+.3f}" for level, gain in gains)
    return Claim(
        f"{table}: one stable answer is worth more than a released model at the same ε",
        "predictions alone may cost less than a model",
        "error of stable answers minus that of the released model (δ = 0 for both) below zero by more than its interval"
        " at the smallest ε, and nowhere above zero by more than its interval",
        told,
        _verdict(_enough([gain for _, gain in gains]), bool(levels) and levels[0] in better and not worse),
    )


def predictors(summary: Summary, table: str) -> list[str]:
    """The methods compared on this table that answer questions one by one, at one price each."""
    return [key for key in summary.methods("budget", table) if BY_KEY[key].predicts and BY_KEY[key].law != "rounds"]


def crossover(summary: Summary, table: str, key: str, total: float) -> int | None:
    """The least number of questions tried at which the released model is better by more than the interval."""
    model = budget_place(table, "model-delta", total, 0)
    for count in summary.sizes("budget", table):
        gain = summary.gain(budget_place(table, key, total, count), model) if count else None
        if gain is not None and gain.low > 0:
            return count
    return None


def model_wins(summary: Summary, table: str) -> Claim:
    """Against every predictor, at the most questions and every total."""
    most = max(summary.sizes("budget", table), default=0)
    found, told = [], []
    for total in summary.epsilons("budget", table):
        turns = []
        for key in predictors(summary, table):
            place, model = budget_place(table, key, total, most), budget_place(table, "model-delta", total, 0)
            gain = summary.gain(place, model)
            if gain is not None:
                found.append(gain)
                turns.append(f"{BY_KEY[key].label} {crossover(summary, table, key, total) or f'not by {most:,}'}")
        if turns:
            told.append(f"total ε = {total:g}, from k = " + ", ".join(turns))
    return Claim(
        f"{table}: for many questions a released model is the better buy",
        "later work (van der Maaten and Hannun 2020): private training often beats private prediction",
        f"at {most:,} questions sharing a total (ε, δ = 1e-6), the error of every predictor is above the released"
        " model's by more than the interval, at every total; told is the least k tried from which that holds",
        "; ".join(told),
        _verdict(_enough(found), all(gain.low > 0 for gain in found)),
    )


def within_budget(summary: Summary) -> Claim:
    """What the ledger says k answers cost, against the total they share."""
    shares = [
        max(held.values()) / place[3]
        for place in summary.places("budget")
        if (held := summary.held(place, "spent"))
    ]  # fmt: skip
    worst = max(shares, default=0.0)
    return Claim(
        "k answers at their price cost no more than the total they share",
        "composition",
        "the ledger's ε of k answers, at δ = 1e-6, is at most the total at every point",
        f"at most {worst:.4f} of the total, over {len(shares)} places",
        _verdict(bool(shares), worst <= 1 + ROUNDING),
    )


def attack_allowed(summary: Summary, attack: str) -> Claim:
    """Mean advantage against what (ε, δ) allow on average over trainings."""
    told, verdicts = [], []
    for place in summary.places("attack"):
        found, allowed = summary.get(place, attack), summary.get(place, "allowed")
        if found is not None and allowed is not None:
            verdicts.append(found.mean <= allowed.mean)
            told.append(f"{place[2]} at ε = {place[3]:g}: {found.mean:.1%} of {allowed.mean:.1%}")
    return Claim(
        f"Membership ({_attack(attack)}): nothing private gives away more than its total ε allows",
        "(ε, δ) bound any test for one record",
        "mean advantage at most that of the best test under (ε, δ), for every private API and model; ε pays for every"
        " question of the attack",
        "; ".join(told),
        _verdict(bool(verdicts), all(verdicts)),
    )


def open_leaks(summary: Summary, attack: str) -> Claim:
    """The open forest against every private victim, repeat by repeat."""
    forest = [place for place in summary.places("attack") if place[2] == "forest"]
    private = {victim.key for victim in VICTIMS if victim.private}
    gains = [
        (place, gain)
        for place in summary.places("attack")
        if place[2] in private and forest and (gain := summary.gain(forest[0], place, attack)) is not None
    ]
    told = "; ".join(f"above {place[2]} at ε = {place[3]:g} by {gain.mean:+.1%}" for place, gain in gains)
    return Claim(
        f"Membership ({_attack(attack)}): an open API gives members away, private ones do not",
        "what private prediction is for",
        "the advantage against the open forest is above that against every private API and model, each time by more"
        " than the interval of the difference",
        told,
        _verdict(_enough([gain for _, gain in gains]), all(gain.low > 0 for _, gain in gains)),
    )


def _attack(name: str) -> str:
    return "threshold" if name == "threshold" else "likelihood ratios, shadow models"
