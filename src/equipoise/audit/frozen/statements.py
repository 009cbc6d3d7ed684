"""OPENS PRIVATE VALUES, for invented data only: does a training procedure move as little as it states?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from equipoise._checks import quoted
from equipoise._docs import documented
from equipoise.audit.frozen.taps import held, look
from equipoise.errors import MechanismRefused
from equipoise.gate import Bits
from equipoise.gate.choices import validate
from equipoise.gate.choices.procedures import WORKING, TrainingProcedure

Vector = npt.NDArray[np.float64]
Data = TypeVar("Data")
Setting = TypeVar("Setting")
Draw = TypeVar("Draw")


def observed_stability(
    procedure: TrainingProcedure[Data, Setting, Draw, Vector],
    setting: Setting,
    neighbours: Sequence[tuple[Data, Data]],
    bits: Bits,
    draws: int = 8,
) -> float:
    """The farthest the model moved on these *invented* pairs of neighbours, each tried at several fixed draws."""
    farthest = 0.0
    for randomness in [procedure.draw(bits) for _ in range(draws)]:
        for pair in neighbours:
            hidden = (held(validate, "enclosed")(data) for data in pair)
            left, right = (look(procedure.fit_all(data, [setting], randomness))[0] for data in hidden)
            farthest = max(farthest, float(np.linalg.norm(np.subtract(left, right), axis=-1).max()))
    return farthest


@documented(returns="float: The share, at most one.")
def check_statement(
    procedure: TrainingProcedure[Data, Setting, Draw, Vector],
    setting: Setting,
    neighbours: Sequence[tuple[Data, Data]],
    bits: Bits,
    draws: int = 8,
) -> float:
    """The share of the stated stability that was observed; refuses a procedure that states none, or too little."""
    stated = procedure.stability(setting)
    if stated is None:
        raise MechanismRefused(f"procedure={quoted(procedure.name)}: states no training stability; {WORKING}")
    share = observed_stability(procedure, setting, neighbours, bits, draws) / stated
    if share > 1:
        raise MechanismRefused(
            f"procedure={quoted(procedure.name)}: moved {share:.3g} times as far as it states, at fixed randomness"
        )
    return share
