"""Events: a treaty.  They come back from plain data as they were, old ones mean what they meant, and costs add up."""

from __future__ import annotations

import json
import math
from typing import Any, cast

import numpy as np
import pytest

from equipoise.errors import InvalidInput
from equipoise.theory.accounting import second_opinion, total_epsilon, total_spent
from equipoise.theory.accounting.compose import simple
from equipoise.theory.events import (
    ApproximateRelease,
    BoundedRangeRelease,
    Composed,
    ConcentratedRelease,
    Event,
    GaussianRelease,
    PureRelease,
    RenyiRelease,
    from_dict,
    leaves,
    to_dict,
)
from equipoise.theory.guarantees import BoundedRange, Gaussian, Measure, Pure

EVENTS: list[Event] = [
    PureRelease(0.1 + 0.2, 2.0**-41, 7),
    GaussianRelease(0.3, 5, 2.0**-40, 1e-9),
    ApproximateRelease(0.5, 1e-7, 1e-13),
    BoundedRangeRelease(0.2, 1000, 1e-13),
    ConcentratedRelease(0.01, 1e-13),
    RenyiRelease((1.5, 2.0, 8.0), (0.1, 0.2, 0.9), 1e-13),
]
NESTED = Composed((*EVENTS, Composed((PureRelease(0.1), EVENTS[1]))))


@pytest.mark.parametrize("event", [*EVENTS, NESTED], ids=lambda event: type(event).__name__)
def test_events_come_back_from_json_as_they_were(event: Event) -> None:
    plain = json.loads(json.dumps(to_dict(event), allow_nan=False))
    assert plain == to_dict(event)
    assert from_dict(plain) == event
    assert hash(from_dict(plain)) == hash(event)


OLD: list[tuple[dict[str, Any], Event]] = [
    ({"kind": "pure", "epsilon": 0.5, "delta_numeric": 1e-13}, PureRelease(0.5, 1e-13, steps=1)),
    (
        {"kind": "gaussian", "mu": 0.3, "steps": 2, "delta_numeric": 1e-13, "epsilon_numeric": 0.0},
        GaussianRelease(0.3, 2, 1e-13),
    ),
    ({"kind": "approximate", "epsilon": 0.5, "delta": 1e-6, "delta_numeric": 0.0}, ApproximateRelease(0.5, 1e-6)),
]


@pytest.mark.parametrize(("written", "meant"), OLD)
def test_what_the_first_version_wrote_still_means_the_same(written: dict[str, Any], meant: Event) -> None:
    assert from_dict(written) == meant
    assert total_spent([from_dict(written)], 1e-5) == total_spent([meant], 1e-5)


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "psychic", "epsilon": 1.0},
        {"epsilon": 1.0},
        {"kind": "pure", "epsilon": 1.0, "colour": "blue"},
        {"kind": "pure"},
        {"kind": "composed"},
        {"kind": "composed", "parts": 3},
        {"kind": "composed", "parts": []},
        {"kind": "composed", "parts": ["pure"]},
        {"kind": "composed", "parts": [{"kind": "psychic"}]},
        {"kind": "renyi", "orders": 2.0, "epsilons": 0.1},
        {"kind": ["pure"], "epsilon": 1.0},
        "pure",
    ],
)
def test_what_is_not_known_is_refused(data: Any) -> None:
    with pytest.raises(InvalidInput):
        from_dict(data)


BAD: list[tuple[type[Any], tuple[Any, ...]]] = [
    (PureRelease, (0.0,)),
    (PureRelease, (1.0, 0.0, 0)),
    (PureRelease, (1.0, 0.0, 1.5)),
    (BoundedRangeRelease, (-1.0,)),
    (BoundedRangeRelease, (1.0, True)),
    (BoundedRangeRelease, (1.0, 1, 1.0)),
    (ConcentratedRelease, (math.nan,)),
    (RenyiRelease, ((1.0,), (0.1,))),
    (RenyiRelease, ((2.0,), (-0.1,))),
    (RenyiRelease, ((2.0,), ())),
    (RenyiRelease, ((2.0,), (math.inf,))),
    (Composed, ((),)),
    (Composed, ((PureRelease(1.0), "more"),)),
]


@pytest.mark.parametrize(("kind", "fields"), BAD)
def test_impossible_events_are_refused(kind: type[Any], fields: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidInput):
        kind(*fields)


def test_numpy_numbers_can_be_written_down() -> None:
    event = BoundedRangeRelease(np.float64(0.5), cast(int, np.int64(3)))
    assert json.loads(json.dumps(to_dict(event))) == {
        "kind": "bounded-range",
        "eta": 0.5,
        "steps": 3,
        "delta_numeric": 0.0,
    }
    gaussian = GaussianRelease(cast(float, np.float32(0.5)), cast(int, np.int64(3)))
    assert from_dict(json.loads(json.dumps(to_dict(gaussian)))) == gaussian
    renyi = RenyiRelease(tuple(np.array([2.0, 3.0])), tuple(np.array([0.1, 0.2])))
    assert from_dict(json.loads(json.dumps(to_dict(renyi)))) == renyi


def test_strangers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="not known"):
        to_dict(cast(Any, 0.5))


@pytest.mark.parametrize("event", [PureRelease(0.1, steps=25), BoundedRangeRelease(0.1, 25), GaussianRelease(0.1, 25)])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_steps_cost_what_as_many_events_cost(event: Event, delta: float) -> None:
    singles: dict[type[Any], Event] = {
        PureRelease: PureRelease(0.1),
        BoundedRangeRelease: BoundedRangeRelease(0.1),
        GaussianRelease: GaussianRelease(0.1),
    }
    apart = total_spent([singles[type(event)]] * 25, delta)
    together = total_spent([event], delta)
    assert together.epsilon == pytest.approx(apart.epsilon, rel=1e-12)
    assert together.epsilon > total_spent([singles[type(event)]], delta).epsilon or math.isinf(together.epsilon)


def test_second_opinion_agrees_on_steps() -> None:
    for event, measure in ((PureRelease(0.1, steps=100), Pure(0.1)), (GaussianRelease(0.1, 100), Gaussian(0.1))):
        theirs = second_opinion({measure: 100}, 1e-6)
        assert total_spent([event], 1e-6).epsilon == pytest.approx(theirs, rel=1e-3)
        assert theirs > 1.5 * second_opinion({measure: 25}, 1e-6)


def test_a_composed_event_costs_what_its_parts_cost() -> None:
    parts = list(leaves(NESTED))
    assert len(parts) == len(EVENTS) + 2
    assert simple([NESTED]) == simple(parts)
    assert total_spent([NESTED], 1e-5) == total_spent(parts, 1e-5)
    assert total_spent([NESTED, NESTED], 1e-5) == total_spent({NESTED: 2}, 1e-5) == total_spent(parts * 2, 1e-5)
    assert NESTED.delta_numeric == pytest.approx(math.fsum(part.delta_numeric for part in parts))
    assert sum(times for _, times in NESTED.costs) == 7 + 1 + 1 + 1000 + 1 + 1 + 1 + 1


def test_a_search_composed_with_training_costs_no_more_than_added_up() -> None:
    both = total_spent([Composed((PureRelease(0.2), GaussianRelease(0.2)))], 1e-6).epsilon
    assert both < 0.2 + total_epsilon([Gaussian(0.2)], 1e-6)


def test_numeric_parts_of_moment_events_are_weighed_by_the_joint_epsilon() -> None:
    for event in (BoundedRangeRelease(0.5, 2, 1e-13), ConcentratedRelease(0.1, 1e-13), EVENTS[-1]):
        spent = total_spent([event, PureRelease(0.25, 1e-13)], 1e-6)
        assert spent.delta_numeric == pytest.approx(1e-13 * (1 + (1 + math.exp(spent.epsilon)) / 2), rel=1e-9)


def test_counted_and_listed_measures_cost_the_same() -> None:
    listed: list[Measure] = [*[Pure(0.1)] * 3, *[BoundedRange(0.2)] * 4, *[Gaussian(0.1)] * 5]
    counted: dict[Measure, int] = {Gaussian(0.1): 5, Pure(0.1): 3, BoundedRange(0.2): 4}
    assert total_epsilon(listed, 1e-6) == total_epsilon(counted, 1e-6)


def test_numeric_parts_of_a_composed_event_add_up() -> None:
    """As those of the same events one by one do; a search's card is written from this sum."""
    parts = (PureRelease(0.1, 3e-14), PureRelease(0.2, 4e-14), GaussianRelease(0.3, 2, 5e-14), PureRelease(0.1, 3e-14))
    assert Composed(parts).delta_numeric == pytest.approx(15e-14, rel=1e-12, abs=0)
    assert Composed((Composed(parts), parts[0])).delta_numeric == pytest.approx(18e-14, rel=1e-12, abs=0)
    apart, together = (total_spent(events, 1e-6) for events in (parts, [Composed(parts)]))
    assert together == apart
