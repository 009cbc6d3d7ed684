"""A person changes as many rows as the cap allows: every constant that steps along rows is multiplied by it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.gate import MECHANISMS
from equipoise.gate.models import objective_perturbation
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.records import Records
from equipoise.inside.solvers import solve
from equipoise.rows.persons import people_in
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency, Unit
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Huber, Logistic, Loss, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.prediction import linear_answers
from equipoise.theory.regularisers import L2

K = 4
IDS = st.lists(st.one_of(st.integers(0, 4), st.just(None), st.just(math.nan), st.just("x")), max_size=30)


def facts(loss: Loss, adjacency: Adjacency = Adjacency.REPLACE_ONE, persons: int | None = K, n: int = 40) -> Facts:
    bounds = Bounds(1.0, 0.5, label_range=(-1.0, 1.0), coef_norm=2.0)
    return Facts(loss, L2(0.1), bounds, n, 3, adjacency, persons)


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("loss", [Logistic(), Squared(), Huber(0.5)], ids=repr)
def test_sensitivities_are_multiplied_by_the_cap_and_rounding_is_not(loss: Loss, adjacency: Adjacency) -> None:
    one, many = facts(loss, adjacency, None), facts(loss, adjacency)
    assert sensitivity.of_minimiser(many).l2 == pytest.approx(K * sensitivity.of_minimiser(one).l2)
    assert sensitivity.of_tilted_gradient(many) == pytest.approx(K * sensitivity.of_tilted_gradient(one))
    assert sensitivity.log_jacobian(many) == pytest.approx(K * sensitivity.log_jacobian(one))
    rounding = 2 * sensitivity.gradient_rounding(one, 1.0)
    gradients = [sensitivity.of_mean_gradient(each, 1.0).l2 - rounding for each in (one, many)]
    assert gradients[1] == pytest.approx(K * gradients[0])


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_sums_over_records_are_multiplied_by_the_cap(adjacency: Adjacency) -> None:
    one, many = facts(Squared(), adjacency, None), facts(Squared(), adjacency)
    assert sensitivity.of_moments(many, 0.8).l2 == pytest.approx(K * sensitivity.of_moments(one, 0.8).l2, rel=1e-6)
    assert sensitivity.of_quadratic(many) == pytest.approx(K * sensitivity.of_quadratic(one), rel=1e-6)
    passes = [linear_answers.of_one_pass(replace(each, adjacency=Adjacency.REPLACE_ONE), 0.1) for each in (one, many)]
    assert passes[1].exact == pytest.approx(K * passes[0].exact)


@pytest.mark.parametrize("loss", [Logistic(), Huber(0.5)], ids=repr)
def test_a_person_moves_the_minimiser_within_the_bound_and_near_it(loss: Loss) -> None:
    """k rows of a person turn round, the others are zero: the attack that attains the bound for one row."""
    n, alpha = 200, 0.5
    bounds = Bounds(1.0, 0.0, label_range=(-1.0, 1.0))
    about = Facts(loss, L2(alpha), bounds, n, 2, person_rows=K)
    points = []
    for label in (1.0, -1.0):
        rows, labels = np.zeros((n, 2)), np.ones(n)
        rows[:K, 0], labels[:K] = 1.0, label
        records = Records(design_from(rows, 1.0, 0.0), labels)
        points.append(solve(Objective(loss, L2(alpha), records, n), 1e-12, math.inf).point)
    moved, stated = float(np.linalg.norm(points[0] - points[1])), sensitivity.of_minimiser(about).l2
    assert moved <= stated
    assert moved > 0.45 * stated
    assert moved > 1.5 * sensitivity.of_minimiser(replace(about, person_rows=None)).l2


@given(ids=IDS, cap=st.integers(1, 4))
def test_the_first_rows_of_each_person_are_used(ids: list[object], cap: int) -> None:
    people = people_in(ids, len(ids), cap)
    seen: dict[object, int] = {}
    expected = []
    for place, each in enumerate(ids):
        nobody = each is None or each != each
        seen[each] = seen.get(each, 0) + 1
        if nobody or seen[each] <= cap:
            expected.append(place)
    assert people.rows.tolist() == expected
    unnamed = [place for place, each in enumerate(ids) if each is None or each != each]
    assert len({people.codes[expected.index(place)] for place in unnamed}) == len(unnamed)
    assert people_in(ids, len(ids)).rows.tolist() == [place for place in range(len(ids)) if place not in unnamed]
    assert len(people.codes) == len(expected)
    assert all(np.bincount(people.codes, minlength=1) <= cap)


@given(ids=st.lists(st.integers(0, 3), min_size=1, max_size=20), other=st.integers(0, 5), cap=st.integers(1, 3))
def test_what_one_person_does_decides_about_nobody_elses_rows(ids: list[int], other: int, cap: int) -> None:
    """All rows of person 0 become those of somebody new: of everybody else the same rows are used."""
    renamed = [10 + other if each == 0 else each for each in ids]
    used, after = (people_in(each, len(ids), cap).rows.tolist() for each in (ids, renamed))
    assert used == after
    without = [each for each in ids if each != 0]
    left = [place for place in used if ids[place] != 0]
    places = [place for place, each in enumerate(ids) if each != 0]
    assert [places[place] for place in people_in(without, len(without), cap).rows] == left


@given(
    ids=st.lists(st.integers(0, 3), min_size=1, max_size=20),
    others=st.lists(st.one_of(st.none(), st.integers(10, 12)), min_size=20, max_size=20),
    cap=st.integers(1, 4),
)
def test_whatever_becomes_of_a_persons_ids_the_same_rows_are_used(
    ids: list[int], others: list[int | None], cap: int
) -> None:
    """A person with no more rows than the cap: gone, split or new ids tell nothing by which rows are used."""
    if ids.count(0) > cap:
        return
    renamed = [other if each == 0 else each for each, other in zip(ids, others, strict=False)]
    used, after = (people_in(each, len(ids), cap).rows.tolist() for each in (ids, renamed))
    assert used == after
    assert {place for place, each in enumerate(ids) if each == 0} <= set(used)


def test_arrays_lists_and_words_give_the_same_rows() -> None:
    ids = [3, 1, 3, 3, 1, 2]
    for same in (np.array(ids), ids, [str(each) for each in ids], np.array([str(each) for each in ids])):
        assert people_in(same, 6, 2).rows.tolist() == [0, 1, 2, 4, 5]


@pytest.mark.parametrize("groups", ["abc", 5, {1: 2}, [[1], [2]], [1, 2]])
def test_groups_of_another_shape_are_refused(groups: object) -> None:
    if groups == [[1], [2]]:
        groups = np.array(groups)
    with pytest.raises(InvalidInput, match="groups"):
        people_in(groups, 3, 1)


def test_pure_objective_perturbation_pays_for_every_row_and_gaussian_noise_is_not_used() -> None:
    budget = Budget(2.0, 1e-6)
    one, many = (objective_perturbation.plan(facts(Logistic(), persons=each, n=5000), budget) for each in (1, K))
    assert isinstance(many.event, PureRelease)
    assert not isinstance(one.event, PureRelease)
    assert "holds with delta=0" in str(many.notes)
    pure = objective_perturbation.plan(facts(Logistic(), persons=1, n=5000), Budget(2.0))
    assert many.tilt.scale > 0.9 * K * pure.tilt.scale


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "projected-histogram"])
def test_every_mechanism_scales_its_sensitivity(name: str) -> None:
    plans = [MECHANISMS[name].plan(facts(Squared(), persons=each, n=5000), Budget(1.0, 1e-6)) for each in (1, K)]
    for plan, rows in zip(plans, (1, K), strict=True):
        assert plan.facts.neighbours.unit is Unit.PERSON
        assert plan.guarantee(False).unit.startswith(f"one person with at most {rows} row")
        assert plan.constants()["rows per person"] == rows
    assert plans[1].sensitivity.l2 == pytest.approx(K * plans[0].sensitivity.l2, rel=1e-6)
    if name in ("output", "output-as-printed", "sufficient-statistics", "functional"):  # the same law on both sides
        assert plans[1].noise_scale == pytest.approx(K * plans[0].noise_scale, rel=0.01)


def test_projected_histograms_refuse_several_rows_of_a_person() -> None:
    with pytest.raises(MechanismRefused, match="several rows of a person"):
        MECHANISMS["projected-histogram"].plan(facts(Squared(), n=5000), Budget(1.0))
