"""What the gate hands over: a value that anyone may see, with the event that paid for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.outside.origin import Origin
from equipoise.theory.bounds import View
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Guarantee


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """A flat, read-only vector.  Everything computed from it is post-processing and costs nothing more."""

    value: npt.NDArray[np.float64]
    event: Event
    guarantee: Guarantee
    covariance: npt.NDArray[np.float64] | None = None
    """Of the value's error, as far as public numbers tell it; None where a mechanism cannot say.  One-dimensional
    where errors are uncorrelated: the variances alone."""
    view: View | None = None
    """Where rows are seen from, where that was released as well."""
    length: float = 1.0
    """The usual length of rows, of their bound, where that was released as well (theory/usual_length.py)."""
    labels: tuple[float, float] | None = None
    """The usual range of labels, in the caller's units, where one was released as well (theory/usual_labels.py)."""
    origin: Origin | None = None
    """When, by which version, from which account; None until the debit is settled."""

    def __post_init__(self) -> None:
        value = np.array(self.value, dtype=np.float64)
        if value.ndim != 1:
            raise InvalidInput(f"released value of {value.ndim} dimensions: must be flat")
        value.flags.writeable = False
        object.__setattr__(self, "value", value)
