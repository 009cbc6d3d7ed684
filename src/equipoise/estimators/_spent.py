"""What an error says of the budget: before the debit, that nothing was spent; after it, that it was.

No value is an error after the debit (docs/reference/refusals.md); an interrupt or a full memory still can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from equipoise.errors import FREE as FREE
from equipoise.errors import SPENT as SPENT
from equipoise.errors import EquipoiseError, told_free, told_spent


@contextmanager
def before_the_debit() -> Iterator[None]:
    """Every error of ours that ends this block says that it cost nothing; the original is not shown beside it.  A
    caller's own setting makes no error of what rounds to zero in a plan."""
    try:
        with np.errstate(under="ignore"):
            yield
    except EquipoiseError as error:
        refusal = error
    else:
        return
    raise told_free(refusal) from None


def untold_free(message: str) -> str:
    """A message without these words: a step that costs nothing says them, also after somebody else's debit."""
    for words in (FREE, "nothing was released"):
        message = message.replace(f"; {words}", "").replace(f", {words}", "").replace(f" {words.capitalize()}.", "")
    return message


@contextmanager
def after_the_debit() -> Iterator[None]:
    """Whatever ends this block carries a note: what was debited stays debited."""
    try:
        yield
    except BaseException as error:
        told_spent(error)
        raise
