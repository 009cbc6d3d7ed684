"""The same audit on packages of this environment: plain scikit-learn, which claims nothing, and dp_accounting."""

from __future__ import annotations

import math
from typing import Any

import dp_accounting
import numpy as np
from dp_accounting import pld, rdp
from peer import Door
from row import CONFIDENCE, Row, rates
from sklearn.linear_model import LogisticRegression

import equipoise as eq
from equipoise.audit import lower_bound
from equipoise.theory.accounting.convert import epsilon_of
from equipoise.theory.guarantees import Gaussian


def plain(door: Door, draws: int) -> Row:
    """No noise: two neighbours that differ in the answer are told apart by every draw."""
    X, epsilon = np.linspace(-1, 1, 20)[:, None], 1.0
    y = (X[:, 0] > 0).astype(int)
    other = np.concatenate([[1], y[1:]])
    draws = min(draws, 1000)

    def release(data: Any) -> Any:
        model = LogisticRegression().fit(*data)
        return np.append(model.coef_, model.intercept_)

    found = lower_bound(release, (X, y), (X, other), samples=draws, confidence=CONFIDENCE)
    model = eq.LogisticRegression(epsilon=epsilon)
    ours = lower_bound(
        lambda data: np.append(model.fit(*data).coef_, model.intercept_),
        (X, y),
        (X, other),
        samples=draws,
        confidence=CONFIDENCE,
        claim=epsilon,
    )
    return Row(
        "scikit-learn",
        "scikit-learn",
        "LogisticRegression, one label of 20 changed; claims no privacy",
        "no defect",
        math.nan,
        exact=math.inf if "none differed" in found.assumes else math.nan,
        measured=found.epsilon,
        draws=draws,
        equipoise_claimed=epsilon,
        equipoise_measured=ours.epsilon,
        equipoise_draws=draws,
        how=f"{rates(found)}; more draws raise the bound without end",
    )


def replace_one(door: Door, draws: int) -> Row:
    """A sum of values with |v| ≤ 1 and noise of deviation 2, one value −1 replaced by 1."""
    multiplier, delta = 2.0, 0.01
    relation = dp_accounting.NeighboringRelation.REPLACE_ONE
    event = dp_accounting.GaussianDpEvent(multiplier)
    told = [make(neighboring_relation=relation).compose(event).get_epsilon(delta) for make in ACCOUNTANTS]
    generator = np.random.default_rng(0)  # plays the stranger's mechanism; nothing private is released
    draws = max(draws, 100_000)
    found = lower_bound(
        lambda data, count: np.sum(data) + multiplier * generator.standard_normal(count),
        np.array([-1.0]),
        np.array([1.0]),
        delta=delta,
        samples=draws,
        confidence=CONFIDENCE,
        batch=True,
    )
    exact = epsilon_of(Gaussian(2 / multiplier), delta)
    return Row(
        "dp-accounting-replace-one",
        "dp-accounting",
        "RdpAccountant(REPLACE_ONE), GaussianDpEvent(2)",
        "google/differential-privacy#378, PR #464",
        float(told[0]),
        delta=delta,
        exact=exact,
        measured=found.epsilon,
        draws=draws,
        equipoise_claimed=exact,
        equipoise_exact=exact,
        how=f"noise multiplier read as the event defines it, s/C; the same release's PLDAccountant says {told[1]:.4g}",
    )


ACCOUNTANTS = (rdp.RdpAccountant, pld.PLDAccountant)


def repeated(door: Door, draws: int) -> Row:
    """Seen in the development version only: look whether the installed release has the event at all."""
    there = "ExponentialMechanismDpEvent" in dir(dp_accounting)
    return Row(
        "dp-accounting-repeats",
        "dp-accounting",
        "RDP of a repeated ExponentialMechanismDpEvent",
        "development version of August 2026; not reported as far as we know",
        math.nan,
        how="the installed release has this event: audit it"
        if there
        else "not in the installed release: nothing to audit",
    )


CASES = {"scikit-learn": plain, "dp-accounting-replace-one": replace_one, "dp-accounting-repeats": repeated}
