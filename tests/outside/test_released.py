from __future__ import annotations

import numpy as np
import pytest

from equipoise.errors import InvalidInput
from equipoise.outside import Released
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Guarantee


def test_released_value_is_a_read_only_copy(guarantee: Guarantee) -> None:
    source = np.array([1.0, 2.0])
    released = Released(source, PureRelease(1.0), guarantee)
    source[0] = 9.0
    assert released.value.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        released.value[0] = 7.0


def test_released_value_must_be_flat(guarantee: Guarantee) -> None:
    with pytest.raises(InvalidInput, match="flat"):
        Released(np.zeros((2, 2)), PureRelease(1.0), guarantee)
