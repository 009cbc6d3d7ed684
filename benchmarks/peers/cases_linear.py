"""What the audit finds in diffprivlib's LinearRegression and accountant, and in Equipoise on the same data."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from pairs import audit, pair_of
from peer import Door
from row import OUR_DRAWS, Row, rates
from sklearn.model_selection import cross_val_score

import equipoise as eq
from equipoise.errors import BudgetExhausted


def linear(door: Door, draws: int) -> Row:
    """One feature in [0, 1]: coef_ is Laplace noise over an exact Σx², so its spread tells Σx²."""
    pair, epsilon = pair_of([0.01, 0.0], [1.0, 0.0], [0, 0]), 1.0
    settings = {"epsilon": epsilon, "bounds_X": [0, 1], "bounds_y": [-1, 1], "fit_intercept": False}
    found = audit(lambda data: door.fit("weights", "LinearRegression", settings, data), pair, epsilon, draws)
    ours = audit(_linear_release(epsilon), pair, epsilon, min(draws, OUR_DRAWS))
    return Row(
        "linear-coef",
        "diffprivlib",
        "LinearRegression, bounds_X=(0, 1): released `coef_`, one x of 0.01 or 1",
        "diffprivlib#104, #105, PR #110",
        epsilon,
        exact=math.inf,
        measured=found.epsilon,
        draws=draws,
        equipoise_claimed=epsilon,
        equipoise_measured=ours.epsilon,
        equipoise_draws=min(draws, OUR_DRAWS),
        how="exact: coef_ is noise over Σx², 10⁴ times wider on one side, so the log-ratio is 9.21 at 0 and grows "
        f"without limit in the tail; {rates(found)}",
    )


def _linear_release(epsilon: float) -> Any:
    model = eq.LinearRegression(epsilon=epsilon, row_norm=1.0, label_bounds=(-1.0, 1.0), fit_intercept=False)
    return lambda data: model.fit(*data).coef_


def squares(door: Door, draws: int) -> Row:
    """The same fit carries X'X, whose diagonal had sensitivity 0: every draw is the same number."""
    pair, epsilon = pair_of([0.01, 0.0], [1.0, 0.0], [0, 0]), 1.0
    settings = {"epsilon": epsilon, "bounds_X": [0, 1], "bounds_y": [-1, 1], "fit_intercept": False}
    draws = min(draws, 1000)
    found = audit(lambda data: door.fit("squares", "LinearRegression", settings, data), pair, epsilon, draws)
    return Row(
        "linear-squares",
        "diffprivlib",
        "LinearRegression, bounds_X=(0, 1): the diagonal of X'X kept in the fitted model",
        "diffprivlib#104, #105, PR #110",
        epsilon,
        exact=math.inf if "none differed" in found.assumes else math.nan,
        measured=found.epsilon,
        draws=draws,
        how=f"the exact value at every draw; {rates(found)}",
    )


def centring(door: Door, draws: int) -> Row:
    """Count what the mechanisms of one fit are given."""
    data = (np.array([[0.2], [0.9]]), np.array([0, 1]))
    settings = {"epsilon": 1.0, "bounds_X": [0, 1], "bounds_y": [0, 1]}
    given = float(door.fit("budget", "LinearRegression", settings, data))
    return Row(
        "linear-centring",
        "diffprivlib",
        "LinearRegression with an intercept, one feature: the budget handed to its mechanisms",
        "diffprivlib#104, point 2",
        1.0,
        exact=given,
        how="sum of the epsilons of all mechanisms built in one fit, as recorded; basic composition",
    )


def accountant(door: Door, draws: int) -> Row:
    """scikit-learn clones what it cross-validates; a cloned accountant forgets."""
    X, y = np.linspace(-1, 1, 40)[:, None], np.tile([0, 1], 20)
    each, cap, folds = 0.5, 1.0, 5
    asked = {"estimator": "LogisticRegression", "settings": {"epsilon": each, "data_norm": 1.0}}
    fits, said = door.ask("cross_validated", **asked, X=X.tolist(), y=y.tolist(), cap=cap, folds=folds)
    with tempfile.TemporaryDirectory() as folder:
        ledger = eq.SQLLedger(Path(folder) / "ledger.db", epsilon=cap)
        stopped = "not stopped"
        try:
            cross_val_score(eq.LogisticRegression(epsilon=each, ledger=ledger), X, y, cv=folds, error_score="raise")
        except BudgetExhausted:
            stopped = "stopped by BudgetExhausted"
        spent = float(ledger.spent().epsilon)
    return Row(
        "accountant",
        "diffprivlib",
        f"BudgetAccountant({cap:g}) under `cross_val_score`, {folds} fits at {each:g}",
        "not reported as far as we know",
        cap,
        exact=fits * each,
        equipoise_claimed=cap,
        equipoise_exact=spent,
        how=f"{fits} fits ran and the accountant recorded {said:g}; Equipoise's ledger: {stopped}, {spent:g} recorded",
    )


CASES = {
    "linear-coef": linear,
    "linear-squares": squares,
    "linear-centring": centring,
    "accountant": accountant,
}
