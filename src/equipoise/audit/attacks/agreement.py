"""What a model or an API says of a record, as one number: how well the answer agrees with the record's own label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from equipoise.audit.witness import AlwaysRaised, Raised, bare, watching, witnessed
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[Any]
Ask = Callable[[Rows], npt.ArrayLike]


@runtime_checkable
class Predictor(Protocol):
    """A model that answers with labels or values."""

    def predict(self, X: Rows) -> npt.ArrayLike: ...


@runtime_checkable
class Probabilistic(Protocol):
    """A model that answers with a row of class probabilities, in the order of `classes_`."""

    classes_: Any

    def predict_proba(self, X: Rows) -> npt.ArrayLike: ...


Target = Ask | Predictor | Probabilistic


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Answers, the order of the classes if the model tells it, and the records on which it raised instead.

    Those have another record's answer in their place, so that the table is whole.
    """

    answers: Rows
    classes: Sequence[Any] | None
    raised: npt.NDArray[np.bool_]


RAISED = -1e100
"""The score of a record on which the target raised: apart from all others.  Its square is finite."""


def ask(target: Target, X: Rows) -> Asked:
    """Probabilities if it gives any.  Where a batch fails every record is asked by itself, to see on which it fails."""
    if not isinstance(target, Predictor | Probabilistic) and not callable(target):
        raise _no_target(target)
    with watching():
        whole = witnessed(lambda: _ask(target, X))
        if not isinstance(whole, Raised):
            answers, classes = bare(whole)
            return Asked(answers, classes, np.zeros(len(X), dtype=bool))
        each = [bare(witnessed(partial(_ask, target, row))) for row in np.split(X, len(X))]
    raised = np.array([isinstance(seen, Raised) for seen in each])
    if raised.all():
        raise AlwaysRaised(f"target: raised {whole.exception} on every record, ask it once by hand")
    other = each[int(np.argmin(raised))]
    told = [(other if isinstance(seen, Raised) else seen)[0] for seen in each]
    return Asked(np.concatenate(told), other[1], raised)


def _ask(target: Target, X: Rows) -> tuple[Rows, Sequence[Any] | None]:
    if isinstance(target, Probabilistic):
        try:
            return np.asarray(target.predict_proba(X)), list(target.classes_)
        except (InvalidInput, AttributeError):  # some have the method even when they give no probabilities
            pass
    if isinstance(target, Predictor):
        return np.asarray(target.predict(X)), None
    if not callable(target):
        raise _no_target(target)
    return np.asarray(target(X)), None


def _no_target(target: object) -> InvalidInput:
    return InvalidInput(f"target of type {type(target).__name__}: must have predict, or be called with rows")


def agreement(answers: Rows, y: Rows, classes: Sequence[Any] | None) -> Array:
    """Higher where the answer fits the label: log odds of its probability, equality, or minus the absolute error."""
    if len(answers) != len(y):
        raise InvalidInput(f"target: gave {len(answers)} answers to {len(y)} records, must give one for each")
    if answers.ndim == 2 and answers.shape[1] > 1:
        return _log_odds(answers, y, classes)
    answers = answers.reshape(len(y))
    if _continuous(answers) or _continuous(y):
        return np.asarray(-np.abs(answers.astype(np.float64) - y.astype(np.float64)))
    return np.asarray(answers == y, dtype=np.float64)


def _log_odds(answers: Rows, y: Rows, classes: Sequence[Any] | None) -> Array:
    order = {label: place for place, label in enumerate(range(answers.shape[1]) if classes is None else classes)}
    places = [order.get(label, -1) for label in y.tolist()]
    if min(places) < 0 or max(places) >= answers.shape[1]:
        raise InvalidInput("classes: some labels are not among them, give the labels in the order of the probabilities")
    chance = np.take_along_axis(answers.astype(np.float64), np.array(places)[:, None], axis=1)[:, 0]
    chance = np.clip(chance, 1e-12, 1 - 1e-12)
    return np.asarray(np.log(chance / (1 - chance)))


def _continuous(values: Rows) -> bool:
    return values.dtype.kind == "f" and bool(np.any(values != np.round(values)))
