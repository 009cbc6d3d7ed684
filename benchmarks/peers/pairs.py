"""Two neighbouring data sets of one feature, and the audit of a release on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from row import CONFIDENCE

from equipoise.audit import LowerBound, lower_bound

Array = npt.NDArray[np.float64]
Data = tuple[Array, npt.NDArray[np.int64]]
Pair = tuple[Data, Data]


def pair_of(left: list[float], right: list[float], y: list[int]) -> Pair:
    labels = np.array(y)
    return (np.array(left)[:, None], labels), (np.array(right)[:, None], labels)


def audit(release: Any, pair: Pair, claim: float, draws: int) -> LowerBound:
    return lower_bound(release, *pair, samples=draws, confidence=CONFIDENCE, claim=claim)
