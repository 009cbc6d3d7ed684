"""Checks of public parameters.  Call with a keyword, `positive(epsilon=epsilon)`: the culprit's name comes for free."""

from __future__ import annotations

import math
from numbers import Integral, Number, Real

from equipoise.errors import InvalidInput

PLAIN = (str, bytes, Number, type(None))
"""Types whose text is short and says no more than the value."""


LONGEST, LONGEST_NAME = 60, 200
"""Characters that a message quotes: of a value, and of the name of a column or a file."""

MOST_COUNTED = 2**63 - 1
"""Of anything that is counted: whatever is larger is a slip, and neither text nor doubles hold the largest."""


def shown(value: object) -> str:
    """A parameter's value in a message: numbers, words and pairs of them as they are, anything else by its type.  What
    was handed over by mistake may be a table, whose own text is many lines of it, or one of its rows, a list."""
    if type(value) is tuple:
        simple = len(value) <= 2 and all(isinstance(each, PLAIN) for each in value)
    else:
        simple = isinstance(value, PLAIN)
    try:
        text = repr(value) if simple else ""
    except Exception:  # noqa: BLE001 - a whole number too long to be written, or a stranger's own
        text = ""
    return text if 0 < len(text) <= LONGEST and text.isprintable() else f"({type(value).__name__})"


def quoted(name: object) -> str:
    """The name of a column or of a file in a message, in one line.  It is needed whole, so it may be longer."""
    if not isinstance(name, str):
        return shown(name)
    return repr(name) if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]!r}…"


def number(**named: object) -> float:
    """The one keyword's value as a finite float."""
    ((name, value),) = named.items()
    if type(value) is float and math.isfinite(value):  # nearly always; plans check by the hundred thousand
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInput(f"{name}={shown(value)}: must be a number")
    try:
        result = float(value)
    except OverflowError:  # of a whole number, which may be too long to be shown
        raise InvalidInput(f"{name}: must be finite, this number is too large") from None
    if not math.isfinite(result):
        raise InvalidInput(f"{name}={shown(value)}: must be finite")
    return result


def positive(**named: object) -> float:
    """A finite number above zero."""
    ((name, value),) = named.items()
    if type(value) is float and 0 < value < math.inf:
        return value
    result = number(**named)
    if result <= 0:
        raise InvalidInput(f"{name}={shown(value)}: must be > 0")
    return result


SMALLEST, LARGEST = 1e-30, 1e30
"""Of a bound: constants made of several of them stay far inside the range of doubles."""


def moderate(power: int = 1, **named: object) -> float:
    """A number above zero whose products with others of its kind neither vanish nor overflow.

    `power` 2 is for what goes with the square of a bound, as a ridge does; more for what is scaled to one at once.
    """
    ((name, value),) = named.items()
    result, low, high = positive(**named), SMALLEST**power, LARGEST**power
    if not low <= result <= high:
        raise InvalidInput(f"{name}={shown(value)}: must be between {low:g} and {high:g}, choose other units")
    return result


def not_negative(**named: object) -> float:
    """A finite number, zero or above."""
    ((name, value),) = named.items()
    if type(value) is float and 0 <= value < math.inf:
        return value
    result = number(**named)
    if result < 0:
        raise InvalidInput(f"{name}={shown(value)}: must be >= 0")
    return result


def fraction(**named: object) -> float:
    """A number in [0, 1)."""
    ((name, value),) = named.items()
    result = number(**named)
    if not 0 <= result < 1:
        raise InvalidInput(f"{name}={shown(value)}: must be in [0, 1)")
    return result


def whole(**named: object) -> int:
    """An integer, at least 1, that can be counted to."""
    ((name, value),) = named.items()
    if type(value) is int and 1 <= value <= MOST_COUNTED:
        return value
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InvalidInput(f"{name}={shown(value)}: must be a whole number >= 1")
    if (result := int(value)) > MOST_COUNTED:
        raise InvalidInput(f"{name}: must be at most 2**63 - 1, this number is too large")
    return result  # of NumPy's short ones a product may not be the product


def one_of(options: tuple[str, ...], **named: object) -> str:
    """One of a few words."""
    ((name, value),) = named.items()
    if not isinstance(value, str) or value not in options:
        raise InvalidInput(f"{name}={shown(value)}: must be one of {', '.join(options)}")
    return str(value)


def is_word(value: object, *words: str) -> bool:
    """Whether it is one of these words.  An array compared with one is no answer, and a stranger's object may raise."""
    return isinstance(value, str) and value in words


def at_most(most: int, **named: object) -> int:
    """A whole number from 1 on, and no more than there is a use for."""
    result = whole(**named)
    if result > most:
        raise InvalidInput(f"{next(iter(named))}: must be at most {most}")
    return result
