"""How far training and scores move for one record at fixed noise: nearly as far as stated, never farther."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.audit.frozen.statements import check_statement
from equipoise.errors import MechanismRefused
from equipoise.gate import MECHANISMS, bits_from, laws
from equipoise.gate.choices.procedures import Rows
from equipoise.gate.choices.training import LinearTraining, MeanScore
from equipoise.gate.models.mechanism import Steady
from equipoise.inside import Private, Records, enter
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Hinge, Huber, Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.noise import Law
from equipoise.theory.plan import Facts, TiltedPlan
from equipoise.theory.regularisers import L2
from equipoise.theory.tuning.scores import CLASSIFIERS, REGRESSION, Score, clipped_hinge, clipped_logistic, ramp

Array = npt.NDArray[np.float64]

ROWS = Rows(training=50, validation=20)
ALL_ROWS = 70


@dataclass(frozen=True)
class Case:
    """A loss, a mechanism, and a share of the stated movement that some record must reach."""

    loss: Loss
    mechanism: str
    alpha: float
    reached: float
    """Of the stated stability."""
    scored: float
    """Of the stated β₁, with any score."""
    ball: float = math.inf
    delta: float = 0.0

    @property
    def classes(self) -> int:
        return self.loss.outputs + 1

    @property
    def regression(self) -> bool:
        return self.loss.name in ("squared", "huber")

    def bounds(self) -> Bounds:
        if self.regression:
            return Bounds(1.0, label_range=(-1.0, 1.0), coef_norm=self.ball)
        return Bounds(1.0, classes=tuple(range(self.classes)), coef_norm=self.ball)

    def steady(self, draws: int = 1) -> Steady:
        facts = Facts(self.loss, L2(self.alpha), self.bounds(), ALL_ROWS, 2)
        option = MECHANISMS[self.mechanism]
        assert option.steady is not None
        return option.steady(option.plan(facts, Budget(2.0, self.delta)), ROWS.training, draws)


CASES = [
    Case(Logistic(), "output", 1.0, 0.9, 0.7),
    Case(Logistic(), "output", 1.0, 0.9, 0.7, delta=1e-6),
    Case(Logistic(), "objective", 1.0, 0.9, 0.7),
    Case(Logistic(), "objective", 1.0, 0.9, 0.7, delta=1e-6),
    Case(Logistic(), "objective", 1.0, 0.8, 0.6, ball=2.0),
    Case(SmoothedHinge(), "output", 1.0, 0.9, 0.7),
    Case(SmoothedHinge(), "objective", 1.0, 0.9, 0.7),
    Case(Hinge(), "output", 1.0, 0.9, 0.7),
    Case(Squared(), "output", 2.0, 0.7, 0.5),
    Case(Squared(), "output-as-printed", 2.0, 0.7, 0.6, ball=1.0),
    Case(Squared(), "objective", 2.0, 0.7, 0.6, ball=1.0),
    Case(Huber(0.3), "output", 1.0, 0.8, 0.6),
    Case(Huber(0.3), "objective", 1.0, 0.8, 0.6),
    Case(Softmax(3), "output", 1.0, 0.6, 0.5),
    Case(Softmax(3), "objective", 1.0, 0.9, 0.8),
]


def label(case: Case) -> str:
    return f"{case.loss.name} {case.mechanism} {case.delta:g} {case.ball:g}"


def one_row(case: Case, row: list[float], y: float) -> Private[Records]:
    """All other rows say nothing, so that this one says all it can."""
    X, labels = np.zeros((ROWS.training, 2)), np.zeros(ROWS.training)
    X[0], labels[0] = row, y
    return enter(X, labels, case.bounds())


def neighbours(case: Case) -> list[tuple[Private[Records], Private[Records]]]:
    """Mirrored rows and opposite labels: the structured corner cases."""
    slanted = [[s, sign * math.sqrt(1 - s * s)] for s in (0.1, 0.3, 0.6) for sign in (-1, 1)]
    rows = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], *slanted]
    labels = (-1.0, 1.0) if case.regression else tuple(float(place) for place in range(case.classes))
    made = {(place, y): one_row(case, row, y) for place, row in enumerate(rows) for y in labels}
    mirrored = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]
    same = [(made[a, y], made[b, y]) for a, b in mirrored for y in labels]
    return [*same, (made[0, labels[0]], made[0, labels[1]])]


def noises(case: Case, setting: Steady) -> list[Array]:
    """None, and pushes that bring a tilted minimiser far out or a noisy one onto a steep place of the score."""
    dim = setting.facts.dim
    farthest = 8.0 if case.regression else 30.0
    pushed = [np.eye(dim)[0] * size for size in (-farthest, -1.7, 0.5, 1.7, 8.0)]
    return [np.zeros(dim), *pushed, np.random.default_rng(0).normal(size=dim) * 3]


def fixed(setting: Steady, push: Array) -> tuple[dict[Law, Array], dict[Law, Array]]:
    """Randomness that moves the model, or tilts its minimiser, by about `push`."""
    plan, still = setting.plan, np.zeros((1, setting.facts.dim))
    if not isinstance(plan, TiltedPlan):
        return {plan.noise.law: push[None] / plan.noise.scale}, {}
    tilt = -push[None] * plan.facts.penalty.strong_convexity * plan.facts.n / plan.tilt.scale
    return {plan.tilt.law: tilt}, {plan.noise.law: still}


@pytest.fixture(autouse=True)
def _tilts_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stability is stated for every tilt; those that bring a minimiser far enough out to show it are rare."""
    monkeypatch.setattr(laws, "clamped", lambda values, most: values)


def trained(setting: Steady, records: Private[Records], push: Array) -> Array:
    (models,) = LinearTraining((setting,)).fit_all(records, [setting], fixed(setting, push)).reveal()
    return models


def pairs_of_models(case: Case, setting: Steady) -> list[tuple[Array, Array]]:
    return [
        (trained(setting, left, push), trained(setting, right, push))
        for push in noises(case, setting)
        for left, right in neighbours(case)
    ]


def held_out(case: Case, along: Array) -> list[Private[Records]]:
    """Rows that look along the way the model moved, with every label."""
    way = along.reshape(case.loss.outputs, 2)
    direction = np.linalg.svd(way)[2][0]
    labels = (-1.0, 0.0, 1.0) if case.regression else tuple(float(place) for place in range(case.classes))
    made = []
    for sign, y in itertools.product((-1.0, 1.0), labels):
        made.append(enter(np.tile(sign * direction, (ROWS.validation, 1)), np.full(ROWS.validation, y), case.bounds()))
    return made


def shifted(case: Case, left: Array, right: Array) -> list[tuple[Array, Array]]:
    """The same two models had the added noise been another: it may bring them to where a score is steep."""
    way = (left - right) / np.linalg.norm(left - right)
    tried = [(left + far * way, right + far * way) for far in (-1.8, -0.9, -0.1, 0.0, 0.1, 0.9, 1.8)]
    return [pair for pair in tried if all(np.linalg.norm(model) <= case.ball for model in pair)]


def farthest_score(case: Case, score: Score, setting: Steady, models: list[tuple[Array, Array]]) -> float:
    """The largest move of the score, over the most distant pairs of models and rows that see it best."""
    mean = MeanScore(score, case.classes, setting.facts)
    models = sorted(models, key=lambda pair: -float(np.linalg.norm(pair[0] - pair[1])))[:4]
    worst = 0.0
    for left, right in models:
        for held in held_out(case, left[0] - right[0]):
            for one, other in shifted(case, left, right):
                worst = max(worst, abs(mean.value(one, held.reveal()) - mean.value(other, held.reveal())))
    return worst


@pytest.mark.parametrize("case", CASES, ids=label)
def test_one_record_moves_a_model_and_every_score_nearly_as_far_as_stated_and_never_farther(case: Case) -> None:
    setting = case.steady()
    models = pairs_of_models(case, setting)
    moved = max(float(np.linalg.norm(left - right)) for left, right in models)
    assert case.reached * setting.stability <= moved <= setting.stability
    shares = []
    for score in (REGRESSION if case.regression else CLASSIFIERS).values():
        beta = MeanScore(score, case.classes, setting.facts).beta(setting.stability, ROWS)
        assert beta is not None
        shares.append(farthest_score(case, score, setting, models) / beta.training)
    assert case.scored <= min(shares), shares
    assert max(shares) <= 1.0, shares


def test_a_twin_with_half_the_movement_or_half_the_slope_is_caught() -> None:
    case = CASES[0]
    setting = case.steady()
    models = pairs_of_models(case, setting)
    assert max(float(np.linalg.norm(left - right)) for left, right in models) > setting.stability / 2
    twin = MeanScore(replace(ramp(), lipschitz=0.25), 2, setting.facts).beta(setting.stability, ROWS)
    assert twin is not None
    assert farthest_score(case, ramp(), setting, models) > twin.training


@pytest.mark.parametrize("score", [ramp(), clipped_hinge(), clipped_logistic()], ids=lambda score: score.name)
def test_one_validation_row_moves_a_score_by_its_share_of_the_range_and_no_more(score: Score) -> None:
    case = CASES[0]
    setting = case.steady()
    mean, model = MeanScore(score, 2, setting.facts), np.array([[9.0, 0.0]])
    X, y = np.tile([1.0, 0.0], (ROWS.validation, 1)), np.ones(ROWS.validation)
    other = np.where(np.arange(ROWS.validation) == 0, 0.0, y)
    held = [enter(X, labels, case.bounds()).reveal() for labels in (y, other)]
    beta = mean.beta(setting.stability, ROWS)
    assert beta is not None
    moved = abs(mean.value(model, held[0]) - mean.value(model, held[1]))
    assert 0.999 * beta.validation <= moved <= beta.validation


def test_draws_are_shared_by_all_settings_standard_and_averaged() -> None:
    plans = [replace(CASES[0], alpha=alpha).steady(draws=300) for alpha in (0.5, 5.0)]
    training = LinearTraining(tuple(plans))
    first, second = training.draw(bits_from(1))
    assert set(first) == {Law.SPHERICAL}
    assert second == {}
    assert first[Law.SPHERICAL].shape == (300, 2)
    assert np.sqrt(np.mean(first[Law.SPHERICAL] ** 2)) == pytest.approx(math.sqrt(3), rel=0.1)
    models = training.fit_all(one_row(CASES[0], [1.0, 0.0], 1.0), plans, (first, second)).reveal()
    away = [model - model.mean(axis=0) for model in models]
    scales = [setting.plan.noise.scale for setting in plans]
    assert away[0] / scales[0] == pytest.approx(away[1] / scales[1], abs=1e-9)
    held = one_row(CASES[0], [0.0, 1.0], 0.0).reveal()
    mean = MeanScore(ramp(), 2, plans[0].facts)
    assert mean.value(models[0], held) == pytest.approx(np.mean([mean.value(each[None], held) for each in models[0]]))


def test_noise_is_that_of_the_fit_on_all_rows_and_stability_that_of_the_training_part() -> None:
    setting = CASES[0].steady()
    assert (setting.plan.facts.n, setting.facts.n) == (ALL_ROWS, ROWS.training)
    assert setting.stability == pytest.approx(setting.plan.sensitivity.l2 * ALL_ROWS / ROWS.training, rel=0.01)


def test_models_are_kept_where_rounding_has_a_bound() -> None:
    case = replace(CASES[0], ball=0.5)
    for setting, widest in ((case.steady(), 0.5), (CASES[0].steady(), 4096.0)):
        far = trained(setting, one_row(case, [1.0, 0.0], 1.0), np.array([1e9, -1e9]))
        assert np.linalg.norm(far) == pytest.approx(widest)


def test_mechanisms_that_state_no_stability_are_known_by_name() -> None:
    assert {name for name, option in MECHANISMS.items() if option.steady is None} == {
        "noisy-gradient",
        "sufficient-statistics",
        "functional",
        "projected-histogram",
        "constant",
        "sgd",
        "momentum",
    }


def test_the_checker_passes_our_own_statements_and_catches_a_twin_that_states_half() -> None:
    for case in (CASES[0], CASES[2], CASES[7]):
        setting = case.steady(draws=2)
        pairs = [(left.reveal(), right.reveal()) for left, right in neighbours(case)]
        assert 0.2 < check_statement(LinearTraining((setting,)), setting, pairs, bits_from(0), draws=2) <= 1
        twin = replace(setting, stability=setting.stability / 20)
        with pytest.raises(MechanismRefused, match=r"moved .* times as far as it states"):
            check_statement(LinearTraining((twin,)), twin, pairs, bits_from(0), draws=2)
