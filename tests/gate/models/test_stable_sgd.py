"""Gradient steps with noise at their end: as steady as planned, released at the door, refused by public rules alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from tests.lists.losses import ONE_EACH, labels_of

import equipoise as eq
from equipoise.audit.subjects.derived import derived_again
from equipoise.audit.subjects.stored import audit_model
from equipoise.errors import BoundsRequired, InvalidInput, MechanismRefused
from equipoise.gate import bits_from
from equipoise.gate.models import stable_sgd
from equipoise.gate.order import order_in_runs
from equipoise.inside import Private, Records
from equipoise.inside.design import design_from
from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.design.masked import masked
from equipoise.inside.design.sparse import SparseDesign
from equipoise.inside.walk import walked
from equipoise.stability import SGD
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.plan import Facts, WalkPlan
from equipoise.theory.regularisers import L2
from equipoise.theory.stability.descents import Walk

Array = npt.NDArray[np.float64]
N, ALPHA, BALL = 30, 0.5, 2.0

WAYS = {
    "usual": None,
    "shrinking": SGD(3, 7),
    "one at a time": SGD(2, 1),
    "constant": SGD(3, 5, "constant", 0.02),
    "averaged": SGD(3, 5, "constant", 0.02, average=True),
    "masked": SGD(3, 5, keep=0.6),
    "masked, constant": SGD(2, 3, "constant", 0.02, keep=0.3),
    "clipped": SGD(3, 5, slope_cap=0.3),
}


def planned(loss: Loss, way: SGD | None, n: int = N, ball: float = BALL, **more: Any) -> WalkPlan[Walk]:
    facts = Facts(loss, L2(ALPHA), Bounds(1.0, coef_norm=ball), n, 2, descent=way, **more)
    return stable_sgd.plan(facts, Budget(1.0))


def end(plan: WalkPlan[Walk], X: Array, y: Array, order: Any = None) -> Array:
    facts = plan.facts
    places = np.arange(len(y)) if order is None else order
    records = Private(Records(design_from(X, 1.0, 0.0), y))
    return walked(records, facts, plan.walk, lambda _: places, stable_sgd._masks(plan, bits_from(1))).reveal()


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("loss", [loss for loss in ONE_EACH if loss.smooth], ids=lambda loss: loss.name)
def test_no_neighbours_move_the_end_further_than_planned(loss: Loss, name: str) -> None:
    if loss.outputs > 1 and name == "clipped":
        pytest.skip("refused")
    plan, rng = planned(loss, WAYS[name]), np.random.default_rng(0)
    for attempt in range(6):
        X = rng.normal(size=(N + 1, 2)) if attempt % 2 else np.tile([[1.0, 0.0]], (N + 1, 1))
        X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
        y = labels_of(loss, rng, N + 1) if attempt % 2 else np.ones(N + 1)
        other, names, place = X[:N].copy(), y[:N].copy(), int(rng.integers(N))
        other[place] = -X[N] if attempt % 3 else X[N]
        names[place] = labels_of(loss, rng, 1)[0] if attempt % 2 else (0.0 if loss.outputs > 1 else -1.0)
        order = rng.permutation(N)
        assert np.linalg.norm(end(plan, X[:N], y[:N], order) - end(plan, other, names, order)) <= plan.sensitivity.l2


@pytest.mark.parametrize(
    ("name", "place"), [("shrinking", 0), ("one at a time", 3), ("constant", 29), ("averaged", 0), ("clipped", 0)]
)
def test_on_the_straight_part_of_a_hinge_the_worst_place_comes_within_a_fifth(name: str, place: int) -> None:
    """Margins stay below one under a strong ridge, where the hinge is straight: its slope is −1, then 1."""
    facts = Facts(SmoothedHinge(1 / 16), L2(4.0), Bounds(1.0), N, 1, descent=WAYS[name])
    plan = stable_sgd.plan(facts, Budget(1.0))
    X, y = np.ones((N, 1)), np.ones(N)
    other = y.copy()
    other[place] = -1.0
    moved = float(np.linalg.norm(end(plan, X, y) - end(plan, X, other)))
    assert 0.8 * plan.sensitivity.l2 <= moved <= plan.sensitivity.l2


@pytest.mark.parametrize("rows", [2, 3, 29, 101, 1000])
def test_the_records_of_a_short_batch_are_left_out_and_not_counted(rows: int) -> None:
    plan = planned(Logistic(), SGD(2, 2), n=rows)
    assert plan.walk.used == rows - rows % 2
    X, y = np.tile([[1.0, 0.0]], (rows, 1)), np.ones(rows)
    if rows % 2:
        other = y.copy()
        other[-1] = -1.0
        assert np.array_equal(end(plan, X, y), end(plan, X, other))
    whole = planned(Logistic(), SGD(2, 2), n=plan.walk.used)
    assert plan.sensitivity.l2 >= whole.sensitivity.l2 * (1 - 1e-9)


def test_points_never_leave_where_the_gradients_were_bounded() -> None:
    plan = planned(SmoothedHinge(1 / 16), None, ball=np.inf)
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.normal(size=(N, 2))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        assert np.linalg.norm(end(plan, X, rng.choice([-1.0, 1.0], size=N))) <= plan.norm


def test_masked_rows_attain_a_bound_that_shrank_with_them() -> None:
    """Two columns of which a mask leaves both now and then; rows so long that what is left is clipped all the same."""
    plans = [
        stable_sgd.plan(Facts(SmoothedHinge(1 / 16), L2(4.0), Bounds(1.0), N, 1, descent=way), Budget(1.0))
        for way in (SGD(1, 1, keep=1.0), SGD(1, 1, keep=0.7))
    ]
    assert plans[1].sensitivity.l2 == pytest.approx(0.7 * plans[0].sensitivity.l2, rel=1e-3)
    X, y = np.ones((N, 1)), np.ones(N)
    furthest = 0.0
    for place in range(N):
        other = y.copy()
        other[place] = -1.0
        furthest = max(furthest, float(np.linalg.norm(end(plans[1], X, y) - end(plans[1], X, other))))
    assert 0.8 * plans[1].sensitivity.l2 <= furthest <= plans[1].sensitivity.l2


def test_masks_are_drawn_at_their_rate_and_the_constant_column_is_spared() -> None:
    """A false alarm would be six standard deviations away."""
    plan = planned(Logistic(), SGD(50, 1, keep=0.3))
    masks = stable_sgd._masks(plan, bits_from(5))
    assert masks is not None
    assert masks.shape == (plan.walk.steps, 2)
    assert abs(masks.mean() - 0.3) < 6 * np.sqrt(0.21 / masks.size)
    rows = WithConstant(DenseDesign(np.array([[3.0, 4.0], [0.1, 0.0]])), 0.5)
    short = masked(rows, np.array([True, False]), 0.3, 0.3)
    np.testing.assert_allclose(short.row_norms(), [np.hypot(0.3, 0.15), np.hypot(0.1, 0.15)])
    thin = masked(SparseDesign(sparse.csr_array(rows.inner.matrix)), np.array([True, False]), 0.3, 0.3)  # type: ignore[attr-defined]
    np.testing.assert_allclose(thin.row_norms(), [0.3, 0.1])


def test_clipped_slopes_bound_what_has_no_bound_and_several_scores_are_refused() -> None:
    facts = Facts(Squared(), L2(ALPHA), Bounds(1.0), N, 2, descent=SGD(2, 5, slope_cap=0.5))
    plan = stable_sgd.plan(facts, Budget(1.0))
    assert plan.sensitivity.l2 == pytest.approx(2 * 0.5 / (ALPHA * N), rel=1e-6)
    with pytest.raises(MechanismRefused, match="several scores"):
        planned(Softmax(3), SGD(slope_cap=0.5))
    for bad in ({"keep": 0.0}, {"keep": 1.5}, {"keep": float("nan")}, {"slope_cap": 0.0}):
        with pytest.raises(InvalidInput):
            SGD(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(("count", "run"), [(10, 1), (100, 7), (101, 32), (64, 32), (40, 32)])
def test_an_order_in_runs_has_every_row_once(count: int, run: int) -> None:
    order = order_in_runs(count, run, bits_from(3))
    assert sorted(order) == list(range(count))
    together = np.mean(np.diff(order) % count == 1)
    assert (together > 0.7) == (run > 1)


def test_the_noise_is_for_the_planned_sensitivity_and_passes_do_not_raise_it() -> None:
    plans = [planned(Logistic(), SGD(passes, batch), n=1000) for passes, batch in ((1, 1), (50, 1), (3, 100))]
    assert plans[0].noise.scale == pytest.approx(plans[0].sensitivity.l2, rel=1e-3)
    for plan in plans[1:]:
        assert plan.sensitivity.l2 == pytest.approx(plans[0].sensitivity.l2, rel=1e-4)
    constant = [planned(Logistic(), SGD(k, 10, "constant", 0.001), n=1000).sensitivity.l2 for k in (1, 10)]
    assert constant[1] == pytest.approx(10 * constant[0], rel=0.3)


def test_persons_pay_for_every_row() -> None:
    one, three = planned(Logistic(), None), planned(Logistic(), None, person_rows=3)
    assert three.sensitivity.l2 == pytest.approx(3 * one.sensitivity.l2, rel=1e-6)


def test_with_frozen_noise_two_tables_differ_as_their_walks_do() -> None:
    """The order comes from the same bits, so it is the same for both."""
    X, y = np.tile([[0.6, 0.8]], (N, 1)), np.arange(N) % 2
    other = y.copy()
    other[0] = 1
    model = eq.LogisticRegression(1.0, mechanism="sgd", alpha=ALPHA, fit_intercept=False, random_state=5)
    ends = [model.fit(X, labels).coef_ for labels in (y, other)]
    assert 0 < float(np.linalg.norm(ends[0] - ends[1])) <= model.guarantee_.sensitivity + 1e-6


@pytest.mark.filterwarnings("ignore::equipoise.PrivacyWarning")  # next to no noise, to see the order
def test_a_sorted_table_is_learnt_because_the_order_is_drawn() -> None:
    X = np.linspace(-1, 1, 4000)[:, None]
    y = (X[:, 0] > 0).astype(int)
    model = eq.LogisticRegression(5.0, mechanism="sgd", alpha=0.01, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    orders = [eq.LogisticRegression(1e6, mechanism="sgd", alpha=0.01).fit(X, y).coef_[0, 0] for _ in range(2)]
    assert orders[0] != orders[1]


def test_it_learns_what_output_perturbation_learns() -> None:
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, size=(6000, 4)) / 2
    y = (X @ np.array([3.0, -2.0, 0.0, 1.0]) + rng.logistic(size=6000) / 2 > 0).astype(int)
    ways: tuple[Any, ...] = ("output", "sgd", SGD(5, 50, "constant", 0.1, average=True))
    models = [eq.LogisticRegression(2.0, mechanism=way, alpha=0.01, random_state=0) for way in ways]
    scores = [model.fit(X, y).score(X, y) for model in models]
    assert min(scores[1:]) > scores[0] - 0.03


@pytest.mark.parametrize(
    ("way", "error", "words"),
    [
        (SGD(batch=N + 1), InvalidInput, "at most the number of records"),
        (SGD(1, 1, "constant", 10.0), MechanismRefused, "at most 1.6"),
    ],
)
def test_steps_that_no_theorem_covers_are_refused_with_the_limit(way: SGD, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        planned(Logistic(), way)


def test_what_is_no_schedule_is_refused_when_it_is_made() -> None:
    with pytest.raises(BoundsRequired, match="step_size"):
        SGD(schedule="constant")
    with pytest.raises(InvalidInput, match="steps of its own"):
        SGD(step_size=0.1)
    with pytest.raises(InvalidInput, match="steps of its own"):
        SGD(average=True)
    bads: tuple[dict[str, Any], ...] = (
        {"passes": 0},
        {"batch": -1},
        {"schedule": "random"},
        {"schedule": "constant", "step_size": 0.0},
    )
    for bad in bads:
        with pytest.raises(InvalidInput):
            SGD(**bad)


def test_a_secret_number_of_rows_and_corners_are_refused() -> None:
    facts = Facts(Logistic(), L2(ALPHA), Bounds(1.0), N, 2, Adjacency.ADD_REMOVE)
    with pytest.raises(MechanismRefused, match="shift every batch"):
        stable_sgd.plan(facts, Budget(1.0))
    with pytest.raises(MechanismRefused, match="ridge alone"):
        eq.ElasticNetClassifier(1.0, mechanism="sgd").plan(100, 2)


@pytest.mark.parametrize("way", [SGD(3, 10), SGD(3, 10, keep=0.5, slope_cap=0.4)])
def test_a_stored_model_is_audited_with_its_own_steps(way: SGD) -> None:
    X = np.linspace(-1, 1, 200)[:, None]
    model = eq.LogisticRegression(1.0, mechanism=way, alpha=0.1).fit(X, (X[:, 0] > 0).astype(int)).model_
    assert audit_model(model, "steps").survived
    assert derived_again(model).held is True
    shorter = replace(model, guarantee=replace(model.guarantee, sensitivity=model.guarantee.sensitivity / 2))
    assert derived_again(shorter).held is False


def test_rounding_of_many_steps_is_counted() -> None:
    few, many = (planned(Logistic(), SGD(passes, 1), n=1000) for passes in (1, 100_000))
    assert many.sensitivity.l2 > few.sensitivity.l2
