"""No table is refused: every solver reaches the radius that its plan asks for, and the points are as near as promised.

A refusal is seen from outside, so one table in a million would be a leak.  tests/inside/fuzz_certificates.py makes the
tables; here a few hundred of them are solved, and a hundred thousand in `make test-slow`.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.inside.exact_minimiser import distance
from tests.inside.fuzz_certificates import Case, case, fault, solved

from equipoise.inside.objective import Objective
from equipoise.inside.solvers import last_resort
from equipoise.theory import sensitivity
from equipoise.theory.descent import MOST_STEPS, Course
from equipoise.theory.losses import Coding

CLOSE = 1e-4
"""The oracle's own error, in units of the radius."""


def _faults(first: int, count: int, only_last: bool = False, path: bool = False) -> list[str]:
    wrong = (fault(index, only_last, path) for index in range(first, first + count))
    return [one for one in wrong if one is not None]


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_no_table_is_refused(first: int) -> None:
    assert _faults(first, 100) == []


def test_no_table_is_refused_on_a_path() -> None:
    assert _faults(1000, 60, path=True) == []


def test_no_table_is_refused_by_the_last_resort_alone() -> None:
    assert _faults(2000, 12, only_last=True) == []


def test_no_table_is_refused_an_elastic_net() -> None:
    wrong = [fault(index, elastic=True) for index in range(6000, 6100)]
    wrong += [fault(index, only_last=True, elastic=True) for index in range(6100, 6104)]
    wrong += [fault(index, path=True, elastic=True) for index in range(6200, 6215)]
    assert [one for one in wrong if one is not None] == []


def test_no_table_is_refused_a_power() -> None:
    wrong = [fault(index, bridge=True) for index in range(8000, 8060)]
    wrong += [fault(index, only_last=True, bridge=True) for index in range(8100, 8103)]
    wrong += [fault(index, path=True, bridge=True) for index in range(8200, 8208)]
    assert [one for one in wrong if one is not None] == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(500_000, 510_000, 1_000))
def test_no_table_of_ten_thousand_is_refused_an_elastic_net(first: int) -> None:
    assert [fault(index, elastic=True) for index in range(first, first + 1_000)] == [None] * 1_000


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 110_000, 5_000))
def test_no_table_of_a_hundred_thousand_is_refused(first: int) -> None:
    assert _faults(first, 5_000) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(200_000, 205_000, 1_000))
def test_no_table_of_five_thousand_is_refused_on_a_path(first: int) -> None:
    assert _faults(first, 1_000, path=True) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(300_000, 304_000, 1_000))
def test_no_table_of_four_thousand_is_refused_by_the_last_resort_alone(first: int) -> None:
    assert _faults(first, 1_000, only_last=True) == []


def _small(first: int, last: int, steps: float, elastic: bool = False, bridge: bool = False) -> list[Case]:
    """Those that the oracle can do, and the last resort in so many steps."""
    chosen = []
    for one in (case(index, elastic, bridge) for index in range(first, last)):
        if one is None or one.objective.loss.traits.labels is Coding.PLACES:
            continue
        if one.objective.size > 6 or one.objective.records.design.rows > 25:
            continue
        start = last_resort.course(one.objective, one.objective.centre, one.ball)
        if (start.steps_to(one.radius) or 0) <= steps:
            chosen.append(one)
    return chosen


def _too_far(cases: list[Case], only_last: bool) -> list[str]:
    wrong = []
    for one in cases:
        found = solved(one, only_last)
        truly = distance(one.objective, found.point, one.ball, CLOSE * one.radius)
        if not truly <= min(one.radius, found.certificate.distance) + 2 * CLOSE * one.radius:
            wrong.append(f"{truly:.3g} from the minimiser, certified {found.certificate} ({one.words})")
    return wrong


def test_points_are_as_near_as_certified_in_sixty_digits() -> None:
    cases = _small(3000, 3070, MOST_STEPS)
    assert len(cases) > 12
    assert _too_far(cases, only_last=False) == []


def test_elastic_nets_are_as_near_as_certified_in_sixty_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = _small(7000, 7060, 2_000, elastic=True)
    assert len(cases) > 6
    assert _too_far(cases, only_last=False) == []
    monkeypatch.setattr(last_resort, "LOOK_EVERY", MOST_STEPS + 1)
    assert _too_far(cases, only_last=True) == []


def test_powers_are_as_near_as_certified_in_sixty_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = _small(8300, 8350, 2_000, bridge=True)
    assert len(cases) > 4
    assert _too_far(cases, only_last=False) == []
    monkeypatch.setattr(last_resort, "LOOK_EVERY", MOST_STEPS + 1)
    assert _too_far(cases, only_last=True) == []


def test_the_steps_that_are_always_enough_are_enough_in_sixty_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without looking whether a certificate holds already: the number of steps alone must do."""
    monkeypatch.setattr(last_resort, "LOOK_EVERY", MOST_STEPS + 1)
    cases = _small(4000, 4070, 2_000)
    assert len(cases) > 8
    assert _too_far(cases, only_last=True) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(400_000, 406_000, 1_000))
def test_thousands_are_as_near_as_promised_in_sixty_digits(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _too_far(_small(first, first + 500, MOST_STEPS), only_last=False) == []
    monkeypatch.setattr(last_resort, "LOOK_EVERY", MOST_STEPS + 1)
    assert _too_far(_small(first + 500, first + 1000, 50_000), only_last=True) == []


def test_no_problem_is_harder_than_its_plan_took_it_for() -> None:
    """What the last resort needs is worked out twice, from public facts and from the problem itself."""
    plain, elastic = (filter(None, (case(index, each) for index in range(5000, 5300))) for each in (False, True))
    for one in (*plain, *elastic):
        push = 0.0 if one.objective.tilt is None else float(np.linalg.norm(one.objective.tilt))
        public = sensitivity.course(one.facts, push)
        own = last_resort.course(one.objective, one.objective.centre, one.ball)
        for name in ("smoothness", "steepness", "strays", "norm", "error"):
            assert getattr(own, name) <= getattr(public, name), (name, one.words)
        assert own.reach <= one.radius * (1 + 1e-12), one.words


def test_no_problem_bends_more_than_its_course_says() -> None:
    """The corners of an elastic net included, which bend most at the centre."""
    for one in filter(None, (case(index, elastic) for index in range(5000, 5060) for elastic in (False, True))):
        if one.objective.size <= 40:
            own = last_resort.course(one.objective, one.objective.centre, one.ball)
            bends = np.linalg.eigvalsh(one.objective.hessian(one.objective.centre))
            assert bends.max() <= own.smoothness * (1 + 1e-9), one.words


def test_a_step_too_long_or_too_few_steps_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle must be able to say no: a twin that stops after a tenth of the steps is found out."""
    monkeypatch.setattr(last_resort, "LOOK_EVERY", MOST_STEPS + 1)
    cases = _small(4000, 4070, 2_000)
    walk = last_resort._walk

    def short(objective: Objective, way: Course, start: object, steps: int, *rest: object) -> object:
        return walk(objective, way, start, max(1, steps // 10), *rest) if steps else None  # type: ignore[arg-type]

    monkeypatch.setattr(last_resort, "_walk", short)
    monkeypatch.setattr(Course, "after", lambda self, steps: 0.0)
    assert len(_too_far(cases, only_last=True)) > len(cases) / 10
