"""Exact audits: against closed forms, at the bounds they must reach, and on twins they must catch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.audit.exact.audits import QUADRATURE, exact_audit, exact_delta, exact_discrete, exact_epsilon
from equipoise.audit.exact.densities import Table, as_seen, claimed_by, density_of, minimiser
from equipoise.audit.exact.discrete_laws import (
    coin_law,
    exponential_law,
    permute_and_flip_law,
    randomised_response_law,
    vote_law,
    walk_law,
)
from equipoise.audit.exact.quadrature import weighed
from equipoise.errors import InvalidInput
from equipoise.gate import MECHANISMS
from equipoise.theory import sensitivity
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Hinge, Huber, Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.noise import Law, Noise
from equipoise.theory.plan import Facts, OutputPlan, Plan, TiltedPlan
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
Data = tuple[Array, Array]


def plan_of(
    name: str, loss: Loss, budget: Budget, dim: int = 1, ridge: float = 2.4, n: int = 8, ball: float = math.inf
) -> Plan:
    made: Plan = MECHANISMS[name].plan(Facts(loss, L2(ridge / n), Bounds(1.0, coef_norm=ball), n, dim), budget)
    return made


def flipped(n: int = 8, dim: int = 1) -> tuple[Data, Data]:
    """A full-length record with both labels, beside rows that hardly pull."""
    X = np.zeros((n, dim))
    X[0, 0], X[1:, -1] = 1.0, 0.05
    y, other = np.ones(n), np.ones(n)
    other[0] = -1
    return (X, y), (X, other)


# --- densities --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("loss", [Logistic(), Hinge(), Huber(0.5)], ids=str)
def test_output_perturbation_agrees_with_its_closed_forms(loss: Loss, dim: int) -> None:
    """Pure: distance over scale.  Gaussian: the known δ of a shift."""
    pair = flipped(dim=dim)
    for budget in (Budget(1.0), Budget(0.5, 1e-5)):
        plan = plan_of("output", loss, budget, dim)
        points = [minimiser(plan.facts, as_seen(*data, plan.facts.bounds)) for data in pair]
        shift = float(np.linalg.norm(points[0] - points[1])) / plan.noise_scale
        found = exact_audit(plan, *pair)
        if budget.delta == 0:
            assert found.epsilon == pytest.approx(shift, rel=1e-3)
        else:
            assert found.delta == pytest.approx(delta_gaussian(budget.epsilon, shift), rel=QUADRATURE)
        assert found.holds


@pytest.mark.parametrize(
    ("loss", "ball"), [(Logistic(), math.inf), (Hinge(), math.inf), (Squared(), 0.4), (Softmax(3), math.inf)], ids=str
)
def test_the_auditors_minimiser_is_the_librarys(loss: Loss, ball: float) -> None:
    """Two solvers that share no line agree to the radius that ours certifies."""
    columns = 1 if isinstance(loss, Softmax) else 2
    rng = np.random.default_rng(5)
    X = rng.uniform(-0.7, 0.7, (12, columns))
    y = rng.integers(3, size=12).astype(float) if isinstance(loss, Softmax) else rng.choice([-1.0, 1.0], 12)
    facts = Facts(loss, L2(0.1), Bounds(1.0, coef_norm=ball), 12, columns)
    found = minimiser(facts, as_seen(X, y, facts.bounds))
    options: dict[str, Any] = {"mechanism": "output", "alpha": 0.1, "fit_intercept": False}
    if isinstance(loss, Squared):
        model: Any = eq.LinearRegression(1e6, label_bounds=(-1, 1), coef_norm=ball, **options)
    elif isinstance(loss, Softmax):
        model = eq.LogisticRegression(1e6, classes=(0, 1, 2), **options)
    else:
        kind = eq.LinearSVC if isinstance(loss, Hinge) else eq.LogisticRegression
        model = kind(1e6, classes=(-1, 1), **options)
    fitted = model.fit(X, y)
    if isinstance(loss, Softmax):
        basis = np.linalg.qr(np.column_stack([np.ones(3), np.eye(3)[:, :2]]))[0][:, 1:]
        assert np.linalg.norm(basis.T @ fitted.coef_) == pytest.approx(np.linalg.norm(found), abs=3e-3)
    else:
        assert np.allclose(np.ravel(fitted.coef_), found, atol=3e-3)


PURE, APPROXIMATE = Budget(1.0), Budget(1.0, 1e-2)


@pytest.mark.parametrize(
    ("name", "loss", "budget", "ridge", "reached"),
    [
        ("output", Hinge(), PURE, 2.4, 0.99),
        ("output", SmoothedHinge(0.1), APPROXIMATE, 2.4, 0.98),
        ("objective", SmoothedHinge(0.1), PURE, 2.4, 0.999),
        ("objective", Huber(0.5), PURE, 2.4, 0.999),
        ("objective", SmoothedHinge(0.1), APPROXIMATE, 2000.0, 0.9),
        ("objective", Huber(0.5), APPROXIMATE, 2000.0, 0.4),
        ("objective", Logistic(), PURE, 2.4, 0.49),
    ],
    ids=str,
)
def test_an_exact_audit_keeps_the_claim_and_comes_near_it(
    name: str, loss: Loss, budget: Budget, ridge: float, reached: float
) -> None:
    found = exact_audit(plan_of(name, loss, budget, ridge=ridge), *flipped())
    assert reached <= found.ratio <= 1 + 1e-4
    assert found.holds


@pytest.mark.parametrize("loss", [SmoothedHinge(0.1), Huber(0.5), Logistic()], ids=str)
def test_an_exact_audit_in_two_dimensions_keeps_the_claim(loss: Loss) -> None:
    pair = flipped(dim=2)
    budget = PURE if isinstance(loss, Huber) else APPROXIMATE
    assert exact_audit(plan_of("objective", loss, budget, 2, ridge=200.0), *pair).holds


def test_three_classes_have_two_dimensions_with_one_column() -> None:
    X, y = np.array([[1.0], [0.3], [-0.5]]), np.array([0.0, 1.0, 2.0])
    other = np.array([1.0, 1.0, 2.0])
    found = exact_audit(plan_of("objective", Softmax(3), PURE, n=3), (X, y), (X, other))
    assert 0.2 < found.ratio <= 1


def test_a_mirrored_pair_reaches_the_logistic_claim_at_given_points() -> None:
    """Heavy light rows hold w far out on one axis; a pair mirrored across it pulls with full force each way."""
    ridge, far, side = 2.1, 100.0, 0.2
    count = math.ceil(ridge * far * far * (1 + math.e))
    plan = plan_of("objective", Logistic(), PURE, 2, ridge, count + 1)
    across = math.sqrt(1 - side * side)

    def table(sign: float) -> Table:
        return Table(np.array([[1 / far, 0.0], [-side, sign * across]]), np.ones(2), np.array([count, 1.0]))

    points = np.column_stack([np.full(1201, far), np.linspace(-3, 3, 1201)])
    left, right = (density_of(plan, table(sign)) for sign in (1.0, -1.0))
    reached = float(np.abs(left.log(points) - right.log(points)).max()) / claimed_by(plan).epsilon
    assert 0.95 <= reached <= 1 + 1e-9


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("name", ["output", "objective"])
@pytest.mark.parametrize("budget", [PURE, APPROXIMATE], ids=str)
def test_half_the_noise_is_caught(name: str, budget: Budget, dim: int) -> None:
    ridge = 2.4 if budget.delta == 0 else 2000.0
    plan = plan_of(name, SmoothedHinge(0.1), budget, dim, ridge)
    assert isinstance(plan, OutputPlan | TiltedPlan)
    twin: Plan = replace(plan, noise=replace(plan.noise, scale=plan.noise.scale / 2))
    if isinstance(plan, TiltedPlan):
        twin = replace(plan, tilt=replace(plan.tilt, scale=plan.tilt.scale / 2))
    found = exact_audit(twin, *flipped(dim=dim))
    assert not found.holds
    assert found.ratio > 1.45


def test_a_forgotten_jacobian_is_caught() -> None:
    """All of ε on the noise, none for the change of variables: the rounded hinge then shows far more than ε."""
    plan = plan_of("objective", SmoothedHinge(0.1), PURE, ridge=1.0, n=1)
    assert isinstance(plan, TiltedPlan)
    forgetful = replace(plan, tilt=replace(plan.tilt, scale=2.0), facts=replace(plan.facts, penalty=L2(1.0)))
    one = np.array([[1.0]])
    assert exact_epsilon(forgetful, (one, np.array([1.0])), (one, np.array([-1.0]))) > 2.5


def test_epsilon_and_delta_are_two_readings_of_one_curve() -> None:
    plan = plan_of("output", Hinge(), APPROXIMATE)
    pair = flipped()
    for epsilon in (0.2, 0.7, 1.3):
        delta = exact_delta(plan, *pair, epsilon)
        assert exact_epsilon(plan, *pair, delta=delta) == pytest.approx(epsilon, abs=1e-6)
    assert exact_delta(plan, *pair, 5.0) < exact_delta(plan, *pair, 0.0) < 1
    assert exact_epsilon(plan, *pair) == math.inf  # Gaussian noise is private for no ε alone


def test_equal_tables_show_nothing() -> None:
    data, _ = flipped()
    for name in ("output", "objective"):
        found = exact_audit(plan_of(name, Logistic(), APPROXIMATE), data, data)
        assert (found.epsilon, found.delta) == (0.0, 0.0)


def test_the_constant_column_and_the_labels_are_encoded_as_the_plan_says() -> None:
    bounds = Bounds(2.0, 1.0, classes=("no", "yes"))
    table = as_seen([[3.0, 4.0], [0.0, 0.0], [0.0, 0.0]], ["yes", "no", "no"], bounds)
    assert np.allclose(table.rows, [[0.0, 0.0, 1.0], [1.2, 1.6, 1.0]])
    assert table.labels.tolist() == [-1.0, 1.0]
    assert table.counts.tolist() == [2.0, 1.0]
    numbers = as_seen([[1.0]], [15.0], Bounds(1.0, 0.5, label_range=(0.0, 20.0)))
    assert numbers.labels.tolist() == [0.5]


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("law", [Law.GAUSSIAN, Law.SPHERICAL])
def test_quadrature_finds_known_moments_and_jumps(law: Law, dim: int) -> None:
    law = Law.LAPLACE if (law, dim) == (Law.SPHERICAL, 1) else law
    noise = Noise(law, 3.0, 2.0**-20, dim)
    weights, radii = weighed(noise, lambda values: np.linalg.norm(values, axis=1) / 3.0)
    second = {Law.GAUSSIAN: dim, Law.LAPLACE: 2, Law.SPHERICAL: dim * (dim + 1)}[law]
    assert weights.sum() == pytest.approx(1.0, abs=1e-9)
    assert float(weights @ radii**2) == pytest.approx(second, rel=1e-3)
    if dim == 2 and law is Law.SPHERICAL:
        return  # jumps cost most there, and the Gaussian case shows how they are met
    weights, above = weighed(noise, lambda values: (values[:, 0] > 1.0).astype(float))
    opposite, below = weighed(noise, lambda values: (values[:, 0] < -1.0).astype(float))
    assert float(weights @ above) == pytest.approx(float(opposite @ below), abs=1e-4)


def test_what_has_no_known_density_is_refused() -> None:
    pair = flipped()
    with pytest.raises(InvalidInput, match="no density is known"):
        exact_audit(plan_of("noisy-gradient", Logistic(), APPROXIMATE), *pair)
    with pytest.raises(InvalidInput, match="one or two"):
        exact_audit(plan_of("output", Logistic(), PURE, 3), *flipped(dim=3))
    with pytest.raises(InvalidInput, match="coef_norm"):
        exact_audit(plan_of("objective", Logistic(), PURE, ball=1.0), *pair)
    plan = plan_of("output", Hinge(), APPROXIMATE)
    assert isinstance(plan, OutputPlan)
    narrow = replace(plan, noise=replace(plan.noise, scale=plan.noise.scale / 40))
    with pytest.raises(InvalidInput, match="too far apart to integrate"):
        exact_audit(narrow, *pair)


# --- discrete outcomes ------------------------------------------------------------------------------------------------

EPSILON = 0.8


def test_randomised_response_has_exactly_its_epsilon() -> None:
    for outcomes in (2, 5):
        no, yes = (randomised_response_law(answer, outcomes, EPSILON) for answer in (0, 1))
        assert exact_discrete(no, yes) == pytest.approx(EPSILON, rel=1e-12)
        assert exact_discrete(no, yes, delta=0.5) == 0.0


def test_delta_buys_what_enumerating_all_sets_says() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        here, there = rng.dirichlet(np.ones(5), 2)
        delta = float(rng.uniform(0, 0.3))
        sets = [np.array(chosen, dtype=bool) for chosen in product([0, 1], repeat=5) if any(chosen)]
        both = [(a[s].sum() - delta) / b[s].sum() for a, b in ((here, there), (there, here)) for s in sets]
        assert exact_discrete(here, there, delta) == pytest.approx(max(0.0, math.log(max(*both, 1e-300))), abs=1e-9)


def test_an_outcome_that_only_one_side_has_is_infinite_without_delta() -> None:
    assert exact_discrete([0.9, 0.1, 0.0], [0.9, 0.0, 0.1]) == math.inf
    assert exact_discrete([0.9, 0.1, 0.0], [0.9, 0.0, 0.1], delta=0.1) < 1e-9


def test_one_vote_moved_costs_at_most_epsilon_and_nearly_reaches_it() -> None:
    moves = [([a, b, c], [a - 1, b + 1, c]) for a, b, c in product(range(1, 30, 4), range(0, 30, 4), (0, 3))]
    shown = [exact_discrete(vote_law(here, EPSILON), vote_law(there, EPSILON)) for here, there in moves]
    assert 0.99 * EPSILON <= max(shown) <= EPSILON + 1e-9


def test_a_walk_that_stands_two_higher_costs_at_most_epsilon() -> None:
    shown = [exact_discrete(walk_law(v, EPSILON), walk_law(v + 2, EPSILON)) for v in range(-40, 40)]
    assert 0.99 * EPSILON <= max(shown) <= EPSILON + 1e-9


@pytest.mark.parametrize("law", [permute_and_flip_law, exponential_law])
def test_selection_keeps_its_epsilon_on_every_corner_and_reaches_it(law: Callable[..., Array]) -> None:
    worst = 0.0
    for base in product([0.0, 1.0, 6.0, 30.0], repeat=3):
        for moved in product([-1.0, 1.0], repeat=3):
            there = np.array(base) + np.array(moved)
            worst = max(worst, exact_discrete(law(base, 1.0, EPSILON), law(there, 1.0, EPSILON)))
    assert 0.98 * EPSILON <= worst <= EPSILON + 1e-9


def test_selection_that_forgets_its_factor_of_two_is_caught() -> None:
    here, there = [30.0, 0.0], [29.0, 1.0]
    left, right = (exponential_law(scores, 0.5, EPSILON) for scores in (here, there))
    assert exact_discrete(left, right) > 1.9 * EPSILON


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=6), st.floats(0.1, 3.0))
@settings(max_examples=60, deadline=None)
def test_permute_and_flip_is_a_law_and_never_worse_than_exponential(scores: list[float], epsilon: float) -> None:
    flip, weigh = (law(scores, 1.0, epsilon) for law in (permute_and_flip_law, exponential_law))
    assert flip.sum() == pytest.approx(1.0, abs=1e-12)
    assert (flip >= -1e-15).all()
    assert flip @ np.array(scores) >= weigh @ np.array(scores) - 1e-9


def test_permute_and_flip_of_many_candidates_agrees_with_inclusion_and_exclusion() -> None:
    scores = np.linspace(0, 5, 41)
    many = permute_and_flip_law(scores, 1.0, EPSILON)
    assert many.sum() == pytest.approx(1.0, abs=1e-12)
    few = permute_and_flip_law(scores[-12:], 1.0, EPSILON)
    coins = np.exp((scores[-12:] - 5) * EPSILON / 2)
    for place in (0, 11):
        others = np.delete(coins, place)
        total = 0.0
        for chosen in product([0, 1], repeat=11):
            picked = np.array(chosen, dtype=bool)
            total += (-1) ** picked.sum() / (picked.sum() + 1) * np.prod(others[picked])
        assert few[place] == pytest.approx(coins[place] * total, abs=1e-12)


def test_a_clamped_coin_keeps_epsilon_only_with_its_floor() -> None:
    voters = 20
    floor = 1 / voters / math.expm1(EPSILON)
    steps = np.linspace(0, 1, voters + 1)
    shown = [exact_discrete(coin_law(p, floor), coin_law(p + 1 / voters, floor)) for p in steps[:-1]]
    assert 0.5 * EPSILON < max(shown) <= EPSILON + 1e-9
    assert exact_discrete(coin_law(0.0, floor / 10), coin_law(1 / voters, floor / 10)) > 2 * EPSILON


@pytest.mark.parametrize(
    ("left", "right"), [([0.5, 0.4], [0.5, 0.5]), ([0.5, 0.5], [1.0]), ([1.5, -0.5], [0.5, 0.5]), ([], [])]
)
def test_what_is_no_law_is_refused(left: list[float], right: list[float]) -> None:
    with pytest.raises(InvalidInput, match="probabilities"):
        exact_discrete(left, right)


def test_laws_refuse_bad_parameters() -> None:
    with pytest.raises(InvalidInput, match="floor="):
        coin_law(0.5, 0.0)
    with pytest.raises(InvalidInput, match="answer="):
        randomised_response_law(3, 2, 1.0)
    with pytest.raises(InvalidInput, match="scores"):
        vote_law([math.nan], 1.0)
    with pytest.raises(InvalidInput, match="epsilon="):
        walk_law(1.0, 0.0)


def test_the_plan_under_audit_states_what_the_sensitivity_says() -> None:
    """The audit's claim is the plan's own, the second noise's part left out."""
    plan = plan_of("objective", Logistic(), APPROXIMATE)
    assert claimed_by(plan).epsilon == pytest.approx(63 / 64)
    assert claimed_by(plan_of("output", Logistic(), APPROXIMATE)) == APPROXIMATE
    assert plan.sensitivity.l2 == pytest.approx(sensitivity.of_tilted_gradient(plan.facts))
