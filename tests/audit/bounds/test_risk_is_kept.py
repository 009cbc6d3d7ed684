"""A bound is wrong no oftener than it says: nothing that is tested had a say in what is tested, and looks share the
risk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom

from equipoise.audit import lower_bound, one_run_audit
from equipoise.audit.bounds.lower_bounds import LEARN, PICK

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-6
SAMPLES = 400
CANARIES, TRIALS = 243, 110


@pytest.mark.parametrize(("method", "delta"), [
    ("best", 0.0), ("threshold", 0.0), ("hockey-stick", 0.0), ("renyi", 0.0), ("best", 0.05), ("gaussian", 0.05),
])  # fmt: skip
def test_what_the_tested_draws_show_by_themselves_proves_nothing(method: str, delta: float) -> None:
    """The draws that may be learnt from say that twos tell the data sets apart.  In those that are tested twos are as
    common in both, and ones are what tells: an event settled in time proves nothing, one picked on them would."""
    settled, calls = int(SAMPLES * (LEARN + PICK)), {0: 0, 1: 0}
    early = {0: [0, 0, 0, 0, 0, 1, 1, 2, 2, 2], 1: [0, 0, 0, 0, 0, 1, 0, 1, 1, 1]}
    tested = {0: [1, 1, 1, 1, 1, 1, 1, 2, 2, 2], 1: [0, 0, 0, 0, 0, 0, 0, 2, 2, 2]}

    def turncoat(data: int) -> int:
        calls[data] += 1
        return (early if calls[data] <= settled else tested)[data][calls[data] % 10]

    found = lower_bound(turncoat, 0, 1, samples=SAMPLES, method=method, delta=delta)
    assert found.epsilon == 0.0


def test_several_numbers_of_guesses_are_together_wrong_no_oftener_than_stated() -> None:
    """Randomised response about every canary: exactly ε-private, so a bound above ε is a wrong one."""
    epsilon, confidence, canaries = 1.0, 0.6, (np.arange(float(CANARIES))[:, None], np.zeros(CANARIES))
    honest, wrong = 1 / (1 + math.exp(-epsilon)), 0
    for seed in range(TRIALS):
        draw = np.random.default_rng([seed, 7])

        def responses(inside: Any, rows: Array, labels: Array, draw: np.random.Generator = draw) -> Array:
            truth = np.isin(rows[:, 0], inside)
            return np.where(draw.random(len(rows)) < honest, truth, ~truth).astype(float)

        found = one_run_audit(
            lambda X, y: X[:, 0],
            np.full((1, 1), -1.0),
            np.zeros(1),
            canaries=canaries,
            score=responses,
            delta=0.0,
            guesses=[3, 9, 27, 81, 243],
            confidence=confidence,
            random_state=seed,
        )
        wrong += found.epsilon > epsilon
    assert wrong <= binom.isf(FALSE_ALARM, TRIALS, 1 - confidence)
