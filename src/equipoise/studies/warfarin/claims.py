"""The claims of Wu, Fredrikson, Wu, Jha, Naughton 2015 about warfarin, each checked against what was measured.

A rule decides, and is printed with the verdict.  Nothing is rounded in the paper's favour, nor against it.
"""

from __future__ import annotations

import math

from scipy import stats

from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN, Claim
from equipoise.studies.warfarin.summary import Cell, Summary

FAR_BETTER = 2.0
SMALL = 0.5
CLOSE = 0.1
ABOUT_EQUAL = 0.1
ACCURATE = "accurate, with no line for the mean"
SURE = 2.0
"""Standard errors that a difference must exceed."""


def check_claims(summary: Summary) -> tuple[Claim, ...]:
    """Every claim, with our constants first and with the printed one beside it where the paper's words hang on it."""
    return (
        far_better(summary, "free", "our constant"),
        far_better(summary, "free-printed", "as printed"),
        close_to_oracle(summary, "free", "oracle", "our constant, corrected α"),
        close_to_oracle(summary, "free-paper", "oracle", "our constant, paper's α"),
        close_to_oracle(summary, "free-printed", "oracle-printed", "as printed"),
        accurate(summary, "free", 0.1, "Data-independent output is accurate at ε = 0.1 (our constant)"),
        accurate(summary, "free-printed", 0.1, "Data-independent output is accurate at ε = 0.1 (as printed)"),
        accurate(summary, "tuned", 0.3, "Privately tuned output is accurate at ε = 0.3 (our constant)"),
        accurate(summary, "tuned-printed", 0.3, "Privately tuned output is accurate at ε = 0.3 (as printed)"),
        about_equal(summary),
        utility_and_inversion(summary, "oracle", "our constant"),
        utility_and_inversion(summary, "oracle-printed", "as printed"),
        inversion_follows_accuracy(summary),
        more_data(summary),
    )


def _verdict(holds: bool) -> str:
    return HOLDS if holds else FAILS


def _above(larger: Cell, smaller: Cell) -> bool:
    """Larger beyond what the runs' spread explains."""
    return larger.mean - smaller.mean > SURE * math.hypot(larger.error, smaller.error)


def _pairs(summary: Summary, first: str, second: str, measure: str = "mse") -> list[tuple[float, Cell, Cell]]:
    """Both methods at every ε where both were measured."""
    found = []
    for epsilon in summary.epsilons(first):
        a, b = summary.get(first, epsilon, measure), summary.get(second, epsilon, measure)
        if a is not None and b is not None:
            found.append((epsilon, a, b))
    return found


def _told(pairs: list[tuple[float, Cell, Cell]], digits: int = 2) -> str:
    return "; ".join(f"ε={e:g}: {a.mean:.{digits}f} against {b.mean:.{digits}f}" for e, a, b in pairs)


def far_better(summary: Summary, method: str, kind: str) -> Claim:
    """Whether the functional mechanism's error is many times that of `method` at every small ε."""
    pairs = [pair for pair in _pairs(summary, method, "functional") if pair[0] <= SMALL]
    return Claim(
        f"Output perturbation is far better than the functional mechanism at small ε ({kind})",
        "functional unusable even at ε = 5; MSE 22.57 at ε = 0.2",
        f"the functional mechanism's MSE is at least {FAR_BETTER:g} times as large at every ε ≤ {SMALL:g}",
        _told(pairs),
        _verdict(all(b.mean >= FAR_BETTER * a.mean for _, a, b in pairs)) if pairs else UNKNOWN,
    )


def close_to_oracle(summary: Summary, method: str, oracle: str, kind: str) -> Claim:
    """Whether a fit with a ridge from public facts comes close to one tuned without privacy, at every ε."""
    pairs = _pairs(summary, method, oracle)
    gaps = [(epsilon, a.mean - b.mean) for epsilon, a, b in pairs]
    worst = max(gaps, key=lambda pair: pair[1], default=(0.0, 0.0))
    within = [f"{epsilon:g}" for epsilon, gap in gaps if gap <= CLOSE]
    return Claim(
        f"Data-independent output is close to the oracle everywhere ({kind})",
        "MSE at most 0.1 apart",
        f"its MSE is at most {CLOSE:g} above the oracle's at every ε",
        f"largest gap {worst[1]:.2f} at ε={worst[0]:g}; within {CLOSE:g} at ε = {', '.join(within) or 'none'}",
        _verdict(worst[1] <= CLOSE) if gaps else UNKNOWN,
    )


def accurate(summary: Summary, method: str, epsilon: float, statement: str) -> Claim:
    """The gain is measured split by split, so that easy and hard splits do not blur it."""
    found, mean, least = (summary.get(key, epsilon, "mse") for key in (method, "mean", "open"))
    gain = summary.get(method, epsilon, "gain over the mean")
    rule = f"it beats predicting the mean, on the same splits, by more than {SURE:g} standard errors"
    if found is None or mean is None or least is None or gain is None:
        return Claim(statement, ACCURATE, rule, "", UNKNOWN)
    won = gain.mean / (mean.mean - least.mean)
    share = f"{won:.0%} of the way" if won > 0 else "no part of the way"
    measured = f"MSE {found.told()}; from the mean's {mean.mean:.2f} to least squares' {least.mean:.2f}, {share}"
    return Claim(statement, ACCURATE, rule, measured, _verdict(gain.mean > SURE * gain.error))


def about_equal(summary: Summary) -> Claim:
    """Whether output and objective perturbation err about equally at every ε."""
    pairs = _pairs(summary, "output", "objective")
    return Claim(
        "Objective perturbation is about as good as output perturbation",
        "about equal",
        f"MSEs within {ABOUT_EQUAL:.0%} at every ε; both with R = 1 and a ridge chosen by the same public rule",
        f"output against objective: {_told(pairs)}",
        _verdict(all(abs(a.mean - b.mean) <= ABOUT_EQUAL * a.mean for _, a, b in pairs)) if pairs else UNKNOWN,
    )


def utility_and_inversion(summary: Summary, method: str, kind: str) -> Claim:
    """Whether the model that errs less at ε = 0.2 gives away more genotypes; unknown where a figure is missing."""
    keys = [(key, measure) for key in (method, "functional") for measure in ("mse", "inversion")]
    found = [summary.get(key, 0.2, measure) for key, measure in keys]
    statement = f"At ε = 0.2 the more useful model is also easier to invert ({kind})"
    paper = "MSE 1.82 against 22.57, VKORC1 right in 45% against 35%"
    rule = f"output has the smaller MSE and the larger inversion accuracy, each by more than {SURE:g} standard errors"
    cells = [cell for cell in found if cell is not None]
    if len(cells) < len(found):
        return Claim(statement, paper, rule, "", UNKNOWN)
    a, b, c, d = cells
    measured = f"MSE {a.mean:.2f} against {c.mean:.2f}; right in {b.mean:.0f}% against {d.mean:.0f}%"
    return Claim(statement, paper, rule, measured, _verdict(_above(c, a) and _above(b, d)))


def inversion_follows_accuracy(summary: Summary) -> Claim:
    """Whether error and inversion are opposed in rank over all methods and ε; unknown below three points."""
    held = [cells for (_, _, share), cells in summary.cells.items() if share == 1.0]
    known = [(cells["mse"].mean, cells["inversion"].mean) for cells in held if {"mse", "inversion"} <= cells.keys()]
    statement, paper = "Better utility comes with better inversion", "in all their figures"
    rule = "over all methods and ε, the rank correlation of MSE and inversion accuracy is below −0.5"
    if len(known) < 3:
        return Claim(statement, paper, rule, "", UNKNOWN)
    found = float(stats.spearmanr([a for a, _ in known], [b for _, b in known]).statistic)
    measured = f"rank correlation {found:.2f} over {len(known)} points"
    return Claim(statement, paper, rule, measured, _verdict(found < -0.5))


def more_data(summary: Summary) -> Claim:
    """Whether more training rows help the tuned model and the attacker, at every ε tried."""
    levels = [level for level in summary.epsilons("tuned") if len(summary.shares("tuned", level)) > 1]
    told, good = [], []
    for epsilon in levels:
        parts = summary.shares("tuned", epsilon)
        few, many = (_both(summary, epsilon, part) for part in (parts[0], parts[-1]))
        if few is None or many is None:
            continue
        rows = [summary.rows["tuned", epsilon, part] for part in (parts[0], parts[-1])]
        told.append(
            f"ε={epsilon:g}, {rows[0]} to {rows[1]} rows: MSE {few[0].mean:.2f} to {many[0].mean:.2f}, inversion"
            f" {few[1].mean:.0f}% to {many[1].mean:.0f}%"
        )
        good.append(_above(few[0], many[0]) and _above(many[1], few[1]))
    return Claim(
        "More data helps the tuned model and the attacker alike",
        "both curves rise",
        f"from the smallest to the largest training part MSE falls and inversion accuracy rises, each by more than"
        f" {SURE:g} standard errors, at every ε tried",
        "; ".join(told),
        _verdict(all(good)) if good else UNKNOWN,
    )


def _both(summary: Summary, epsilon: float, share: float) -> tuple[Cell, Cell] | None:
    mse, inversion = (summary.get("tuned", epsilon, measure, share) for measure in ("mse", "inversion"))
    return None if mse is None or inversion is None else (mse, inversion)
