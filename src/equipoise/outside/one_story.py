"""The parts of a model must tell one story: kind, link, loss, classes and the number of scores."""

from __future__ import annotations

from equipoise._checks import quoted, shown
from equipoise.errors import InvalidInput
from equipoise.rows import RowBounds
from equipoise.theory.losses import Link, Loss, Task
from equipoise.theory.losses.links import OF_MANY, OF_TWO
from equipoise.theory.mechanisms import MOMENTUM, OBJECTIVE, OUTPUT, OUTPUT_AS_PRINTED, STABLE_SGD

WITH_A_MINIMUM = {each.name for each in (OUTPUT, OUTPUT_AS_PRINTED, OBJECTIVE, STABLE_SGD, MOMENTUM)}
"""Mechanisms that rest on one."""


def check_ranges(bounds: RowBounds | None, features: int) -> None:
    """One for each column."""
    if bounds is not None and bounds.columns is not None and len(bounds.columns) != features:
        raise InvalidInput("row_bounds: needs one range for each column of coef")
    if bounds is not None:
        bounds.check_width(features)


def check_loss(loss: Loss | None, kind: str, link: str, classes: tuple[object, ...] | None, mechanism: str) -> None:
    """Of this kind, with this link, of as many classes, and such as the mechanism can have learnt with."""
    if loss is None:
        if link in (Link.CAPPED_LOGISTIC, Link.CAPPED_SOFTMAX, Link.CLIPPED_SOFTMAX):
            raise InvalidInput(f"loss: link={shown(link)} needs the loss that it belongs to")
        return
    if (loss.traits.task, loss.traits.link) != (kind, link):
        raise InvalidInput(f"loss {quoted(loss.name)}: does not go with kind={shown(kind)} and link={shown(link)}")
    if loss.traits.link in OF_MANY and classes is not None and loss.outputs + 1 != len(classes):
        raise InvalidInput(f"loss {quoted(loss.name)}: is one of {loss.outputs + 1} classes, not of {len(classes)}")
    if not loss.traits.potential and mechanism in WITH_A_MINIMUM:
        raise InvalidInput(
            f"loss {quoted(loss.name)}: has no minimum, and does not go with mechanism={shown(mechanism)}"
        )


def check_outputs(kind: str, link: str, outputs: int, classes: tuple[object, ...] | None) -> None:
    """The link, the classes and the number of scores must tell one story."""
    if (kind == Task.REGRESSION) != (link == Link.IDENTITY) or (kind == Task.REGRESSION) != (classes is None):
        raise InvalidInput(f"kind={shown(kind)}: does not go with link={shown(link)} and the classes given")
    if classes is None:
        return
    if len(set(classes)) < max(2, len(classes)):
        raise InvalidInput("classes: list at least two different labels")
    binary = outputs == 1 and len(classes) == 2 and link not in OF_MANY
    joint = outputs == len(classes) and link not in OF_TWO
    if not (binary or joint):
        raise InvalidInput(f"coef of {outputs} row(s): does not go with {len(classes)} classes and link={shown(link)}")
