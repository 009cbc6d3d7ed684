"""Membership inference finds what overfitting gives away, and no more than ε allows where ε holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression as Plain
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import equipoise as eq
from equipoise.audit import Membership, membership_inference
from equipoise.errors import InvalidInput
from equipoise.theory.accounting.convert import advantage, tpr_at_fpr

Array = npt.NDArray[np.float64]
People = tuple[Array, Array]

FALSE_ALARM = 1e-6
"""Chance that a covering interval misses, in the test that counts on all of them."""


def people(count: int, seed: int, columns: int = 6) -> People:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(count, columns)) / 3
    return X, (X[:, 0] + 0.3 * draw.normal(size=count) > 0).astype(int)


MEMBERS, OTHERS = people(400, 1), people(400, 2)


def tree(X: Any, y: Any) -> Any:
    return DecisionTreeClassifier(random_state=0).fit(X, y)


def test_an_overfitted_model_gives_its_members_away() -> None:
    found = membership_inference(tree(*MEMBERS), MEMBERS, OTHERS, random_state=0, confidence=0.99)
    assert found.advantage_interval[0] > 0.02
    assert found.members == found.non_members == 200
    assert found.allowed_advantage is None
    assert found.above_claim is None


def test_a_lookup_table_is_found_out_at_every_rate() -> None:
    known = {tuple(row) for row in MEMBERS[0]}

    def api(X: Array) -> Array:
        return np.array([[0.0, 1.0] if tuple(row) in known else [0.5, 0.5] for row in X])

    found = membership_inference(
        api, (MEMBERS[0], np.ones(400)), (OTHERS[0], np.ones(400)), epsilon=1.0, delta=1e-5, random_state=0
    )
    assert found.advantage == 1.0
    assert [rate.tpr for rate in found.rates] == [1.0, 1.0]
    assert [rate.wanted for rate in found.rates] == [1e-2, 1e-3]
    assert found.above_claim is True
    assert found.allowed_advantage == advantage(1.0, 1e-5)
    for rate in found.rates:
        assert rate.fpr == 0.0
        assert rate.allowed == tpr_at_fpr(1.0, 1e-5, rate.fpr_interval[1])
    assert "the claim allows 46.2%" in str(found)


def test_a_model_that_learnt_nothing_gives_nothing_away() -> None:
    found = membership_inference(lambda X: np.zeros(len(X)), MEMBERS, OTHERS, epsilon=0.1, random_state=0)
    assert found.advantage_interval[0] <= 0 <= found.advantage_interval[1]
    assert found.above_claim is False


@pytest.mark.parametrize("method", ["threshold", "service"])
def test_a_private_model_stays_below_what_epsilon_allows(method: str) -> None:
    model = eq.LogisticRegression(epsilon=0.5, delta=1e-6, row_norm=2.0, random_state=0).fit(*MEMBERS)
    found = membership_inference(
        model, MEMBERS, OTHERS, method=method, jitter=0.1, epsilon=0.5, delta=1e-6, confidence=1 - FALSE_ALARM,
        random_state=1,
    )  # fmt: skip
    assert found.above_claim is False
    assert found.advantage_interval[0] <= advantage(0.5, 1e-6)


def remembering(X: Any, y: Any) -> Any:
    """Answers with a number that varies far more between people than by having seen them."""
    draw, known = np.random.default_rng(int(1e6 * X[0, 0] ** 2)), {tuple(row) for row in X}
    return lambda rows: np.array([20 * row[0] + (tuple(row) in known) + 0.4 * draw.normal() for row in rows])


@pytest.mark.parametrize("offline", [False, True])
def test_shadow_models_find_what_a_threshold_cannot(offline: bool) -> None:
    settings: dict[str, Any] = {"score": lambda answers, y: answers, "random_state": 0, "confidence": 0.999}
    target = remembering(*MEMBERS)
    plain = membership_inference(target, MEMBERS, OTHERS, **settings)
    assert plain.advantage_interval[0] <= 0
    shadowed = membership_inference(
        target, MEMBERS, OTHERS, method="likelihood-ratio", train=remembering, offline=offline, **settings
    )
    assert shadowed.advantage_interval[0] > 0.3
    assert shadowed.rates[0].tpr_interval[0] > plain.rates[0].tpr


def test_models_without_probabilities_are_asked_for_labels_or_values() -> None:
    machine = eq.LinearSVC(epsilon=1.0, row_norm=2.0, random_state=0).fit(*MEMBERS)
    line = eq.LinearRegression(epsilon=1.0, row_norm=2.0, label_bounds=(0.0, 1.0), random_state=0).fit(*MEMBERS)
    for model in (machine, line):
        found = membership_inference(model, MEMBERS, OTHERS, epsilon=1.0, confidence=1 - FALSE_ALARM, random_state=0)
        assert found.above_claim is False


def test_shadow_models_see_exactly_half_of_the_people_each() -> None:
    sizes: list[int] = []

    def train(X: Array, y: Array) -> Any:
        sizes.append(len(y))
        return tree(X, y)

    membership_inference(tree(*MEMBERS), MEMBERS, OTHERS, method="likelihood-ratio", train=train, shadows=6)
    assert sizes == [400] * 6


def test_a_service_that_answers_with_labels_can_be_attacked() -> None:
    model = KNeighborsClassifier(1).fit(*MEMBERS)
    found = membership_inference(
        model.predict, MEMBERS, OTHERS, method="service", queries=6, jitter=0.03, random_state=0
    )
    assert found.advantage_interval[0] > 0.02


def test_asking_again_beats_asking_once_when_answers_are_random() -> None:
    draw = np.random.default_rng(0)
    known = {tuple(row) for row in MEMBERS[0]}

    def api(X: Array) -> npt.NDArray[np.intp]:
        right = np.array([0.7 if tuple(row) in known else 0.5 for row in X])
        return (draw.random(len(X)) < right).astype(np.intp)

    sides = (MEMBERS[0], np.ones(400, dtype=int)), (OTHERS[0], np.ones(400, dtype=int))
    once = membership_inference(api, *sides, method="service", queries=1, random_state=0)
    often = membership_inference(api, *sides, method="service", queries=40, random_state=0)
    assert often.advantage > once.advantage + 0.2


def test_a_regressor_is_judged_by_its_errors() -> None:
    draw = np.random.default_rng(0)
    sides = [(draw.normal(size=(60, 50)), draw.normal(size=60)) for _ in range(2)]
    model = Ridge(alpha=1e-3).fit(*sides[0])
    found = membership_inference(model, sides[0], sides[1], random_state=0)
    assert found.advantage_interval[0] > 0.3


def test_string_labels_and_the_order_of_classes_are_understood() -> None:
    words = np.array(["no", "yes"])
    named = [(X, words[y]) for X, y in (MEMBERS, OTHERS)]
    model = Plain().fit(*named[0])
    by_model = membership_inference(model, named[0], named[1], random_state=0)
    by_api = membership_inference(
        lambda X: model.predict_proba(X)[:, ::-1], named[0], named[1], classes=["yes", "no"], random_state=0
    )
    assert by_api == by_model
    with pytest.raises(InvalidInput, match="classes: some labels are not among them"):
        membership_inference(model.predict_proba, named[0], named[1])


def test_a_score_of_ones_own_is_used() -> None:
    found = membership_inference(
        lambda X: X, MEMBERS, OTHERS, score=lambda answers, y: answers @ np.ones(6), random_state=0
    )
    assert abs(found.advantage) < 0.3
    with pytest.raises(InvalidInput, match="score: must give one number"):
        membership_inference(lambda X: X, MEMBERS, OTHERS, score=lambda answers, y: np.full(len(y), math.nan))


def coin(seed: int, confidence: float) -> Membership:
    """Members score 1 with probability 0.6, the others with 0.4: the true advantage is 0.2."""
    draw = np.random.default_rng(seed)
    sides = [(np.zeros((300, 1)), draw.random(300) < share) for share in (0.6, 0.4)]
    return membership_inference(lambda X: np.ones(len(X), dtype=bool), *sides, confidence=confidence, random_state=seed)


def test_intervals_cover_the_true_advantage() -> None:
    for seed in range(30):
        low, high = coin(seed, 1 - FALSE_ALARM / 30).advantage_interval
        assert low <= 0.2 <= high


def test_intervals_are_not_idle() -> None:
    inside = [
        found.advantage_interval[0] <= 0.2 <= found.advantage_interval[1]
        for found in (coin(seed, 0.1) for seed in range(40))
    ]
    assert sum(inside) < 40


def test_thresholds_are_tested_on_people_they_were_not_picked_on() -> None:
    """Scores without meaning: an attack tuned and tested on the same people would claim an advantage every time."""
    claimed = 0
    for seed in range(40):
        scores = np.random.default_rng(seed).normal(size=(800, 1))
        found = membership_inference(
            lambda X: X, (scores[:400], MEMBERS[1]), (scores[400:], OTHERS[1]), random_state=seed,
            score=lambda answers, y: answers[:, 0], confidence=0.8,
        )  # fmt: skip
        claimed += found.advantage_interval[0] > 0
    assert claimed <= binom.isf(FALSE_ALARM, 40, 0.2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "magic"}, "method='magic': must be one of threshold"),
        ({"method": "likelihood-ratio"}, "train: "),
        ({"method": "likelihood-ratio", "train": tree, "shadows": 5}, "shadows=5: must be an even number"),
        ({"method": "service", "queries": 0}, "queries=0: must be a whole number"),
        ({"method": "service", "jitter": -1.0}, "jitter=-1.0: must be"),
        ({"confidence": 1.0}, r"confidence=1.0: must be in \(0, 1\)"),
        ({"fprs": (0.0,)}, r"fpr=0.0: must be in \(0, 1\)"),
        ({"epsilon": -1.0}, "epsilon=-1.0: must be"),
    ],
)
def test_bad_settings_are_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        membership_inference(lambda X: np.zeros(len(X)), MEMBERS, OTHERS, **changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("members", "others", "message"),
    [
        ((np.zeros((3, 2)), np.zeros(3)), OTHERS, "members: must be"),
        ((np.zeros((5, 6)), np.zeros(4)), OTHERS, "members: must be"),
        (MEMBERS, (np.zeros(9), np.zeros(9)), "non_members: must be"),
        (MEMBERS, (np.zeros((9, 2)), np.zeros(9)), "members, non_members: must have the same columns"),
    ],
    ids=["few", "labels", "flat", "columns"],
)
def test_bad_people_are_refused(members: Any, others: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        membership_inference(lambda X: np.zeros(len(X)), members, others)


def test_a_target_that_cannot_be_asked_is_refused() -> None:
    with pytest.raises(InvalidInput, match="target of type int: must have predict"):
        membership_inference(7, MEMBERS, OTHERS)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="target: gave 3 answers to 800 records"):
        membership_inference(lambda X: np.zeros(3), MEMBERS, OTHERS)
