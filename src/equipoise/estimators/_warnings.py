"""What is said of a price before it is paid, from public facts: an ε that promises next to nothing, a δ too large.

The rules and what lost are in docs/decisions/0032-warnings-and-the-guard.md.  A seeded fit promises nothing, says so
everywhere, and is not warned of.
"""

from __future__ import annotations

import warnings
from typing import Any

from equipoise.errors import PrivacyWarning
from equipoise.estimators._guard import callers_line, warn_of_surroundings

MOST_EPSILON = 20.0
"""Beyond which e^ε is no number to think about.  Cards speak of "next to nothing" from about 7 on; a warning, which
interrupts, waits until nobody can have meant it as protection."""


def warn_before_spending(estimator: Any, epsilon: float, delta: float, records: int, seeded: bool) -> None:
    """Everything that is to be said of a fit before the debit; `records` is the public number of rows."""
    warn_of_surroundings(estimator)
    if not seeded:
        warn_of_price(epsilon, delta, records)


def warn_of_price(epsilon: float, delta: float, records: int) -> None:
    """For a release that is no estimator's, too.  Prices may be of any kind of number."""
    epsilon, delta = float(epsilon), float(delta)
    if epsilon > MOST_EPSILON:
        _say(f"epsilon={epsilon:g}: promises next to nothing, above {MOST_EPSILON:g} take it as no protection at all")
    if delta * records >= 1:
        _say(
            f"delta={delta:g}: is not below one over the {records} rows, publishing a row drawn at random would satisfy"
            " it too; choose it far below"
        )


def _say(told: str) -> None:
    warnings.warn(told, PrivacyWarning, stacklevel=callers_line())
