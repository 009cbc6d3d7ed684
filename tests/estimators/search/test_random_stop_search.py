"""The best of a random number of runs, for our estimators and for strangers whose guarantee is the caller's word."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pytest
from scipy import integrate, stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone

import equipoise as eq
from equipoise.estimators.search import random_stop_search, stranger_runs
from equipoise.estimators.search import runs as _runs
from equipoise.estimators.search.base import settled, take_in
from equipoise.gate.choices import stop as gate_stop
from equipoise.gate.choices.stop import UNIT, RunLaw, ScoreNoise, run_law
from equipoise.theory.accounting import delta_of, epsilon_of, runs, total_spent
from equipoise.theory.accounting.convert import renyi_curve
from equipoise.theory.accounting.selection import PoissonStop, TruncatedNegativeBinomial, random_stop
from equipoise.theory.accounting.shares import Kind, stop_shares
from equipoise.theory.events import ApproximateRelease, GaussianRelease, PureRelease, RenyiRelease
from equipoise.theory.guarantees import Approximate, Budget, Concentrated, Gaussian, Pure, Renyi
from equipoise.tuning import RandomStopSearch

Array = npt.NDArray[np.float64]
GRID = {"alpha": [0.01, 1.0, 50.0]}
FALSE_ALARM = 1e-6
STOPS = ("geometric", "logarithmic", "poisson")


def people(n: int = 400, seed: int = 0) -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) / 2
    return X, (X[:, 0] > 0).astype(np.int64)


def classifier(epsilon: float = 3.0, delta: float = 0.0, **settings: Any) -> eq.LogisticRegression:
    return eq.LogisticRegression(epsilon, delta, **{"mechanism": "output"} | settings)


class Response(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A stranger: randomised response on the first label, ε-private, and it predicts what it said."""

    def __init__(self, epsilon: float = 0.4, shade: int = 0) -> None:
        self.epsilon = epsilon
        self.shade = shade

    def fit(self, X: Array, y: npt.NDArray[np.int64]) -> Self:
        lies = SOURCE.random() > 1 / (1 + math.exp(-self.epsilon))
        self.said_ = int(y[0]) ^ int(lies)
        return self

    def predict(self, X: Array) -> npt.NDArray[np.int64]:
        return np.full(len(X), self.said_)


class Constant(BaseEstimator):  # type: ignore[misc]
    """A stranger that looks at nothing: it has an answer."""

    def __init__(self, answer: int = 0) -> None:
        self.answer = answer

    def fit(self, X: Array, y: npt.NDArray[Any]) -> Self:
        return self

    def predict(self, X: Array) -> npt.NDArray[np.int64]:
        return np.full(len(X), self.answer)


SOURCE = np.random.default_rng(2024)
"""Of the stranger's own noise."""

ROWS = np.zeros((4, 1))
ONES = np.ones(4, dtype=np.int64)


def generating(numbers: RunLaw, at: float) -> float:
    """E[at^K] of the drawn law."""
    weights = np.diff(np.array([0, *numbers.ends], dtype=object)) / UNIT
    return float(sum(float(weight) * at ** (numbers.fewest + place) for place, weight in enumerate(weights)))


def within(hits: int, tries: int, chance: float) -> bool:
    """Whether so many hits are believable, at the false alarm rate."""
    return bool(stats.binomtest(hits, tries, chance).pvalue > FALSE_ALARM)


# --- a stranger's whole law -------------------------------------------------------------------------------------------


@pytest.fixture
def rehearsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """These laws are of the runs; the rehearsal before them is the same every time and half of the work."""
    honest, told = stranger_runs.rehearse, list[str]()

    def once(*given: Any) -> str:
        if not told:
            told.append(honest(*given))
        return told[0]

    monkeypatch.setattr(random_stop_search, "rehearse", once)


def said_nothing(search: RandomStopSearch, first: int, tries: int) -> int:
    """How often the released model says 0, when the first person's label is `first`."""
    labels = np.array([first, 1, 0, 1])
    said = [search.fit(ROWS, labels, public_validation=(ROWS, ONES)).best_estimator_.said_ for _ in range(tries)]
    return said.count(0)


@pytest.mark.usefixtures("rehearsed_once")
def test_the_best_of_a_strangers_runs_has_the_enumerated_law_which_keeps_its_promise() -> None:
    stop, epsilon, tries = TruncatedNegativeBinomial(1.0, 0.4), 0.4, 250
    search = RandomStopSearch(
        Response(epsilon),
        {"shade": [0, 1]},
        guarantee=Pure(epsilon),
        stop=stop,
        score="accuracy",
        random_state=np.random.default_rng(8),
    )
    truth = 1 / (1 + math.exp(-epsilon))
    exact = {0: generating(run_law(stop), truth), 1: generating(run_law(stop), 1 - truth)}
    for first, chance in exact.items():  # 0 is released only if every run says 0: the public rows prefer 1
        assert within(said_nothing(search, first, tries), tries, chance)
    promised = search.guarantee_.epsilon
    assert promised == pytest.approx(3 * epsilon)
    ratios = [abs(math.log(exact[0] / exact[1])), abs(math.log((1 - exact[0]) / (1 - exact[1])))]
    assert 0.4 * promised <= max(ratios) <= promised


@pytest.mark.usefixtures("rehearsed_once")
def test_a_twin_with_a_fixed_number_of_runs_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, epsilon, tries = TruncatedNegativeBinomial(1.0, 0.4), 0.4, 60
    search = RandomStopSearch(
        Response(epsilon),
        {"shade": [0, 1]},
        guarantee=Pure(epsilon),
        stop=stop,
        score="accuracy",
        random_state=np.random.default_rng(8),
    )
    twin = RunLaw(20, (UNIT,), 0.0)
    honest = generating(run_law(stop), 1 / (1 + math.exp(-epsilon)))
    monkeypatch.setattr(gate_stop, "run_law", lambda _: twin)
    assert not within(said_nothing(search, 0, tries), tries, honest), "the enumerated law would not notice"
    truth = 1 / (1 + math.exp(-epsilon))
    assert math.log(generating(twin, truth) / generating(twin, 1 - truth)) > 6 * search.guarantee_.epsilon


def chance_of_zero(noise: float, gap: float, gamma: float) -> float:
    """Exact law of two constant answers when 1 scores `gap` more than 0 and scores get Laplace noise."""
    zero, one = stats.laplace(0.0, noise), stats.laplace(gap, noise)

    def density(score: float) -> float:
        below = (zero.cdf(score) + one.cdf(score)) / 2
        return float(zero.pdf(score) / 2 * gamma / (1 - (1 - gamma) * below) ** 2)

    wide = 40 * noise
    return float(integrate.quad(density, -wide, wide, points=[0.0, gap], limit=500)[0])


def answers(search: RandomStopSearch, labels: npt.NDArray[np.int64], tries: int) -> int:
    return sum(search.fit(ROWS, labels).best_params_["answer"] == 0 for _ in range(tries))


@pytest.mark.usefixtures("rehearsed_once")
def test_scores_of_private_rows_hide_them_and_a_twin_without_noise_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kept rows, one of which may change: exact chances, checked against the search itself."""
    gamma, base, tries = 0.2, 0.3, 200
    search = RandomStopSearch(
        Constant(), {"answer": [0, 1]}, guarantee=Pure(base), stop=TruncatedNegativeBinomial(1.0, gamma),
        score="accuracy", validation=0.5, random_state=np.random.default_rng(4),
    )  # fmt: skip
    noise = _runs.score_noise(Pure(base), 2, 1).scale
    both = chance_of_zero(noise, 1.0, gamma)
    assert within(answers(search, ONES, tries), tries, both)
    promised = search.guarantee_.epsilon
    mixed = [chance_of_zero(noise, 0.0, gamma), chance_of_zero(noise, -1.0, gamma)]
    chances = [both, *mixed]
    for left, right in itertools.pairwise(chances):  # one row changes sides
        assert abs(math.log(left / right)) <= promised
    monkeypatch.setattr(ScoreNoise, "draw", lambda self, bits: 0)
    bare = generating(run_law(search.stop), 0.5)  # 0 wins only if no run drew 1
    assert not within(answers(search, ONES, tries), tries, both), "the exact law would not notice"
    assert math.log(0.5 / bare) > 1.2 * promised, "a tie against a clear win"


# --- prices -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", STOPS)
def test_what_a_run_may_cost_is_as_large_as_the_total_allows(stop: str) -> None:
    law = _runs.stop_from(stop, 10)
    pure, smooth, leaky = stop_shares(Budget(1.0, 1e-6), law)
    assert 0.99 <= epsilon_of(random_stop(Pure(pure.budget.epsilon), law, 1e-6), 1e-6) <= 1.0
    assert 0.99 <= epsilon_of(random_stop(Gaussian(smooth.mu), law, 1e-6), 1e-6) <= 1.0
    left = epsilon_of(random_stop(Pure(leaky.budget.epsilon), law, 5e-7), 5e-7)
    assert left <= 1.0
    assert law.mean * leaky.budget.delta <= 5e-7
    (alone,) = stop_shares(Budget(1.0), law)
    assert random_stop(Pure(alone.budget.epsilon), law) <= Pure(1.0)  # type: ignore[operator]


def test_without_delta_a_run_gets_a_third_or_a_half() -> None:
    for stop, share in (("geometric", 1 / 3), ("logarithmic", 1 / 2)):
        search = RandomStopSearch(classifier(3.0), GRID, stop=stop).fit(*people())
        assert search.guarantee_.constants["epsilon of one run"] == pytest.approx(3 * share)
        assert search.guarantee_.constants["mean number of runs"] == pytest.approx(10)


@pytest.mark.parametrize(
    ("mechanism", "stop"),
    [("output", "geometric"), ("objective", "geometric"), ("noisy-gradient", "geometric"), ("output", "poisson")],
)
def test_the_event_is_within_the_promise_whatever_the_fits_are(mechanism: str, stop: str) -> None:
    ledger = eq.Ledger()
    estimator = classifier(1.0, 1e-6, mechanism=mechanism)
    RandomStopSearch(estimator, {"alpha": [0.1, 1.0]}, stop=stop, ledger=ledger, random_state=0).fit(*people())
    (record,) = ledger.entries()
    event = record.event
    if isinstance(event, RenyiRelease):
        assert delta_of(Renyi(event.orders, event.epsilons), 1.0) <= 1e-6
    else:
        assert isinstance(event, ApproximateRelease | PureRelease)
        assert event.epsilon == 1.0
    assert event.delta_numeric <= 2.0**-50


def test_noise_on_scores_costs_a_kept_row_no_more_than_a_fit_costs_a_fitted_one() -> None:
    for estimator in (classifier(1.0), classifier(1.0, 1e-6)):
        taken = take_in(RandomStopSearch(estimator, GRID), *people(), None)
        budget = Budget(estimator.epsilon, estimator.delta)
        problem, plan = random_stop_search._settled_runs(taken, 320, 80, TruncatedNegativeBinomial(1.0, 0.1), budget)
        assert plan.noise is not None
        assert plan.noise.sensitivity == pytest.approx(1 / 80)
        orders = np.array([0.01, 1.0, 10.0])
        fits = np.max([renyi_curve(plan.event.costs[0][0], orders) for plan in problem.plans], axis=0)
        assert np.all(renyi_curve(plan.noise.hides, orders) <= fits * (1 + 1e-6))
        assert np.all(renyi_curve(plan.noise.hides, orders) >= fits * 0.99)


@pytest.mark.parametrize(
    ("stated", "delta", "kind"),
    [
        (Pure(0.1), None, PureRelease),
        (Gaussian(0.2), 1e-6, RenyiRelease),
        (Concentrated(0.02), 1e-6, RenyiRelease),
        (Renyi((2.0, 8.0, 32.0), (0.01, 0.04, 0.2)), 1e-6, RenyiRelease),
    ],
    ids=repr,
)
@pytest.mark.parametrize("stop", STOPS)
def test_a_strangers_total_is_computed_debited_and_reported(stated: Any, delta: Any, kind: type, stop: str) -> None:
    ledger = eq.Ledger()
    search = RandomStopSearch(
        Response(0.1), {"shade": [0, 1]}, guarantee=stated, delta=delta, stop=stop, score="accuracy", ledger=ledger,
        random_state=1,
    ).fit(*people(40))  # fmt: skip
    base = Concentrated(stated.mu**2 / 2) if isinstance(stated, Gaussian) else stated
    total = epsilon_of(random_stop(base, _runs.stop_from(stop, 10), delta or 0.0), delta or 0.0)
    assert search.guarantee_.epsilon == pytest.approx(total)
    assert search.guarantee_.delta == (delta or 0.0)
    (record,) = ledger.entries()
    assert (type(record.event), record.state) == (kind, "committed")
    assert any("caller's word" in note for note in search.guarantee_.notes)
    assert isinstance(search.best_estimator_, Response)


def test_noise_for_a_stated_curve_is_nowhere_above_it() -> None:
    stated = Renyi((1.5, 2.0, 8.0, 32.0), (0.02, 0.02, 0.05, 0.9))
    search = RandomStopSearch(Response(), {"shade": [0, 1]}, guarantee=stated, delta=1e-6)
    plan, _ = search._stranger_plan(stated, TruncatedNegativeBinomial(1.0, 0.1), 2, 50, None)
    assert plan.noise is not None
    curve = renyi_curve(plan.noise.hides, np.array(stated.orders) - 1)
    assert np.all(curve <= np.array(stated.epsilons))
    assert np.max(curve / np.array(stated.epsilons)) > 0.99


def test_groups_multiply_a_strangers_pure_price_and_the_noise_on_scores() -> None:
    X, y = people(40)
    made: dict[str, Any] = {"guarantee": Pure(0.1), "score": "accuracy", "random_state": 0}
    alone = RandomStopSearch(Constant(), {"answer": [0, 1]}, **made).fit(X, y).guarantee_
    many = RandomStopSearch(Constant(), {"answer": [0, 1]}, **made).fit(X, y, groups=np.arange(40) // 2).guarantee_
    assert many.epsilon == pytest.approx(2 * alone.epsilon)
    assert many.sensitivity == pytest.approx(2 * alone.sensitivity)
    assert many.unit == "one group of at most 2 rows"
    smooth = made | {"guarantee": Concentrated(0.1), "delta": 1e-6}
    with pytest.raises(eq.MechanismRefused, match="Pure"):
        RandomStopSearch(Constant(), {"answer": [0, 1]}, **smooth).fit(X, y, groups=np.arange(40) // 2)


def test_an_epsilon_is_a_limit_for_strangers_and_the_total_for_ours() -> None:
    X, y = people(40)
    made: dict[str, Any] = {"guarantee": Pure(0.1), "score": "accuracy"}
    assert RandomStopSearch(Constant(), {"answer": [0, 1]}, epsilon=0.31, **made).fit(X, y).guarantee_.private
    ledger = eq.Ledger()
    with pytest.raises(eq.MechanismRefused, match=r"would cost epsilon=0\.3"):
        RandomStopSearch(Constant(), {"answer": [0, 1]}, epsilon=0.29, ledger=ledger, **made).fit(X, y)
    RandomStopSearch(classifier(3.0), GRID, epsilon=1.5, ledger=ledger).fit(*people())
    assert [getattr(record.event, "epsilon", None) for record in ledger.entries()] == [1.5]


@pytest.mark.parametrize("stated", [Pure(0.4), Concentrated(0.02), Renyi((2.0,), (0.1,))], ids=repr)
def test_one_candidate_of_a_stranger_costs_one_fit(stated: Any) -> None:
    ledger = eq.Ledger()
    made: dict[str, Any] = {"guarantee": stated, "delta": 1e-6, "score": "accuracy", "ledger": ledger}
    search = RandomStopSearch(Response(), {"shade": [1]}, **made).fit(*people(40))
    (record,) = ledger.entries()
    assert record.event.costs == ((stated, 1),)
    assert any("one candidate" in note for note in search.guarantee_.notes)
    assert search.best_estimator_.said_ in (0, 1)


# --- manners ----------------------------------------------------------------------------------------------------------


def test_nothing_fitted_tells_how_many_runs_there_were() -> None:
    """Seeds with different numbers of runs leave the same attributes, all of them facts of the released run."""
    kept = {"n_features_in_", "best_estimator_", "best_index_", "best_params_", "cv_results_", "guarantee_"}
    promises = set()
    for seed in range(6):
        search = RandomStopSearch(classifier(), GRID, random_state=seed).fit(*people())
        assert {name for name in vars(search) if name.endswith("_")} == kept
        promises.add(tuple(sorted(search.guarantee_.constants)))
        assert search.best_estimator_.get_params()["random_state"] is None
    assert len(promises) == 1


@pytest.mark.parametrize("case", ["regression", "two classes", "three classes", "public"])
def test_with_next_to_no_privacy_a_sensible_setting_wins(case: str) -> None:
    X, y = people(1500)
    thirds = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.2, 0.2])]
    cases: dict[str, tuple[Any, Any]] = {
        "regression": (eq.LinearRegression(20.0, mechanism="output", label_bounds=(-1, 1)), np.clip(X[:, 0], -1, 1)),
        "two classes": (classifier(20.0), y),
        "three classes": (classifier(20.0, classes=["a", "b", "c"]), thirds),
        "public": (classifier(20.0), y),
    }
    estimator, labels = cases[case]
    shown = {"public_validation": (X[:100], labels[:100])} if case == "public" else {}
    search = RandomStopSearch(estimator, {"alpha": [1e4, 0.05, 3e4]}, random_state=1).fit(X, labels, **shown)
    assert search.best_params_ == {"alpha": 0.05}
    assert search.score(X, labels) > 0.7


def test_public_rows_to_choose_on_leave_all_others_for_fitting() -> None:
    X, y = people()
    search = RandomStopSearch(classifier(), GRID).fit(X, y, public_validation=(X[:50], y[:50]))
    assert search.guarantee_.constants["records"] == 400
    assert "score noise scale" not in search.guarantee_.constants


def test_a_score_of_ones_own_is_clipped() -> None:
    X, y = people(40)

    def wild(labels: Any, predicted: Any) -> Array:
        return np.where(predicted == 1, 1e300, np.nan)

    made: dict[str, Any] = {"guarantee": Pure(30.0), "random_state": 3, "score": wild, "mean": 5}
    assert RandomStopSearch(Constant(), {"answer": [0, 1]}, **made).fit(X, y).best_params_ == {"answer": 1}


def test_a_score_of_ones_own_sees_one_row_at_a_time_and_its_errors_are_not_repeated(refused: Any) -> None:
    X, y = people(40)
    seen: list[tuple[int, ...]] = []

    def curious(labels: Any, predicted: Any) -> Array:
        seen.append((*labels.shape, *predicted.shape))
        return np.asarray(labels == predicted, dtype=float)

    RandomStopSearch(classifier(), GRID, score=curious, random_state=0).fit(X, y)
    assert set(seen) == {(1, 1)}

    def rude(labels: Any, predicted: Any) -> Array:
        raise KeyError("secret-7")

    assert "KeyError" in refused(RandomStopSearch(classifier(), GRID, score=rude), X, y)


@pytest.mark.parametrize("grouped", [False, True])
def test_runs_dearer_than_epsilon_by_what_delta_hides_are_not_booked_as_pure(grouped: bool) -> None:
    """Without that, more than ε of pure privacy would be written down as ε."""
    stop, budget = TruncatedNegativeBinomial(1.0, 0.1), Budget(1.0, 1e-3)
    taken = take_in(RandomStopSearch(classifier(1.0, 1e-3), GRID), *people(), np.arange(400) if grouped else None)
    share = stop_shares(budget, stop)[0]
    assert share.kind is Kind.PURE
    assert 3 * share.budget.epsilon > 1.0001, "the case exists"
    sizes = (320, 320, 320, 80)
    problem = settled(taken.estimator, taken.settings, sizes, 3, taken.listed, taken.groups, share.budget)
    noise = _runs.score_noise(runs.hidden_by(share), 80, 1)
    event = _runs.own_event(problem, share, stop, noise, budget)
    assert not isinstance(event, PureRelease)
    assert total_spent([event], 1e-3).epsilon <= 1.0


def test_a_clone_keeps_its_score_and_can_be_given_another() -> None:
    search = RandomStopSearch(Constant(), GRID, score="accuracy", stop=PoissonStop(3.0), guarantee=Pure(1.0))
    copy = clone(search)
    assert copy.get_params()["score"] == "accuracy"
    assert copy.get_params()["stop"] == PoissonStop(3.0)
    assert copy.set_params(score="auto", mean=4).get_params()["score"] == "auto"


def test_a_strangers_error_is_told_without_its_words(refused: Any) -> None:
    class Talkative(Constant):
        def fit(self, X: Array, y: npt.NDArray[Any]) -> Self:
            raise RuntimeError("I saw 123456.789 and secret-7")

    ledger = eq.Ledger()
    search = RandomStopSearch(Talkative(), {"answer": [0, 1]}, guarantee=Pure(1.0), score="accuracy", ledger=ledger)
    message = refused(search, *people(40))
    assert "Talkative" in message
    assert "RuntimeError" in message, "made-up rows showed it too"
    assert [record.state for record in ledger.entries()] == ["committed"], "that it failed is the outcome"


def test_no_run_at_all_releases_nothing_and_stays_spent(refused: Any) -> None:
    ledger = eq.Ledger()
    search = RandomStopSearch(classifier(1.0), GRID, stop="poisson", mean=1e-9, ledger=ledger)
    assert "no run" in refused(search, *people())
    assert [record.state for record in ledger.entries()] == ["reserved"]


BAD: list[tuple[Any, dict[str, Any], str]] = [
    (Response(), {"guarantee": None}, "Response: states no guarantee"),
    (Response(), {"guarantee": Approximate(1.0, 1e-6)}, "guarantee of type Approximate"),
    (Response(), {"guarantee": 1.0}, "guarantee of type float"),
    (Response(), {"score": "auto"}, "score"),
    (Response(), {"score": "roc_auc"}, "score"),
    (Response(), {"guarantee": Gaussian(0.1)}, "delta"),
    (Response(), {"guarantee": Renyi((2.0,), (0.0,)), "delta": 1e-6}, "costs nothing"),
    (Response(), {"param_grid": {"colour": [1, 2]}}, "param_grid"),
    (Response(), {"param_grid": {}}, "param_grid"),
    (object(), {}, "must have fit and predict"),
    (classifier(), {"guarantee": Pure(1.0)}, "knows its own"),
    (classifier(), {"guarantee": None, "param_grid": {"epsilon": [1.0, 2.0]}}, "epsilon"),
    (Response(), {"stop": "soon"}, "stop"),
    (Response(), {"stop": 3}, "stop"),
    (Response(), {"mean": 1.0}, "mean"),
    (Response(), {"mean": "ten"}, "mean"),
    (Response(), {"mean": -1.0, "stop": "poisson"}, "mean"),
    (Response(), {"mean": 1e7}, "stop"),
    (Response(), {"validation": 1.2}, "validation"),
    (Response(), {"validation": 0.001}, "too few"),
    (Response(), {"delta": 1.5}, "delta"),
    (Response(), {"epsilon": -1.0}, "epsilon"),
    (Response(), {"random_state": "x"}, "random_state"),
    (Response(), {"ledger": "book.db"}, "ledger"),
]


@pytest.mark.parametrize(
    ("estimator", "wrong", "named"), BAD, ids=[f"{at} {named}" for at, (_, _, named) in enumerate(BAD)]
)
def test_refusals_are_one_line_and_spend_nothing(
    estimator: Any, wrong: dict[str, Any], named: str, refused: Any
) -> None:
    ledger = eq.Ledger()
    made: dict[str, Any] = {
        "param_grid": {"shade": [0, 1]},
        "guarantee": Pure(0.1),
        "score": "accuracy",
        "ledger": ledger,
    }
    assert named in refused(RandomStopSearch(estimator, **made | wrong), *people(40))
    assert not ledger.entries()


def test_a_stranger_that_carries_a_seed_is_refused_since_copies_would_repeat_its_noise(refused: Any) -> None:
    class Seeded(Constant):
        def __init__(self, answer: int = 0, random_state: Any = None) -> None:
            self.answer = answer
            self.random_state = random_state

    made: dict[str, Any] = {"guarantee": Pure(0.1), "score": "accuracy"}
    search = RandomStopSearch(Seeded(random_state=3), {"answer": [0, 1]}, **made)
    assert "repeat its noise" in refused(search, *people(40))
    for fine in (None, np.random.default_rng(3)):  # a generator is given a new state in every run
        assert RandomStopSearch(Seeded(random_state=fine), {"answer": [0, 1]}, **made).fit(*people(40)).guarantee_


def test_a_database_remembers_what_a_search_cost(tmp_path: Path) -> None:
    ledger = eq.SQLLedger(tmp_path / "book.db", epsilon=3.0, delta=1e-5)
    made: dict[str, Any] = {"guarantee": Gaussian(0.2), "delta": 1e-6, "score": "accuracy", "ledger": ledger}
    search = RandomStopSearch(Response(), {"shade": [0, 1]}, **made).fit(*people(40))
    (record,) = eq.SQLLedger(tmp_path / "book.db", epsilon=3.0, delta=1e-5).entries()
    assert isinstance(record.event, RenyiRelease)
    assert ledger.spent(1e-6).epsilon == pytest.approx(search.guarantee_.epsilon, rel=1e-6)


@pytest.mark.parametrize("shown", [1, (ROWS,), (np.zeros((5, 3)), ONES), (np.zeros((4, 3)), np.ones((4, 2)))])
def test_public_rows_must_be_a_pair_that_fits(shown: Any) -> None:
    search = RandomStopSearch(classifier(), GRID)
    with pytest.raises(eq.InvalidInput, match="public_validation"):
        search.fit(*people(40), public_validation=shown)


def test_a_gaussian_share_is_only_for_gaussian_fits() -> None:
    _, smooth, leaky = stop_shares(Budget(1.0, 1e-6), TruncatedNegativeBinomial(1.0, 0.1))
    assert smooth.covers([GaussianRelease(smooth.mu * 0.999)])
    assert not smooth.covers([GaussianRelease(smooth.mu * 1.001)])
    assert not smooth.covers([PureRelease(0.01)])
    assert leaky.covers([PureRelease(0.01), GaussianRelease(0.01)])
    assert Fraction(leaky.budget.delta) * 10 <= Fraction(5e-7)
