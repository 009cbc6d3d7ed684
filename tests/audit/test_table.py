"""The audit table and the attempts behind it: honest claims survive, each kind of false one is broken."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise import answering, estimators, tuning
from equipoise.audit.attempts import audit_target
from equipoise.audit.frozen.pairs_at_corners import Data
from equipoise.audit.subjects.library import library
from equipoise.audit.subjects.named import estimator_target, find_class
from equipoise.audit.subjects.targets import Target, corners, density_corners, fits, visible
from equipoise.audit.table import audit_row, audit_table, markdown
from equipoise.audit.verdict import Attempt, Audit, Statement
from equipoise.audit.witness import Raised, watching, witnessed
from equipoise.errors import InvalidInput
from equipoise.gate import MECHANISMS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "audit-table.md"
CONFIDENCE = 1 - 1e-6
FALSE_ALARM = 1 - CONFIDENCE


def lines_of(page: str) -> list[list[str]]:
    """The cells of the table of releases."""
    table = page.split("## Names that release nothing")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


# --- the committed page -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*MECHANISMS, *answering.__all__, *tuning.__all__, *estimators.__all__])
def test_every_public_name_is_in_the_committed_table(name: str) -> None:
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", PAGE.read_text(encoding="utf-8"))


def test_the_committed_table_has_exactly_the_library_s_releases_and_all_survived() -> None:
    lines = lines_of(PAGE.read_text(encoding="utf-8"))
    wanted = [(target.name, f"{target.epsilon:g}", f"{target.delta:g}") for target in library()]
    assert [tuple(line[:3]) for line in lines] == wanted
    for line in lines:
        assert line[-1] == "survived", line
        for figure in line[3:5]:
            assert figure == "–" or float(figure) <= float(line[1]) + 1e-3, line
        assert float(line[5]) <= 1.0, line


def test_the_committed_table_comes_near_its_claims() -> None:
    """An audit that finds nothing anywhere would be a broken audit."""
    exact = [float(line[3]) for line in lines_of(PAGE.read_text(encoding="utf-8")) if line[3] != "–"]
    assert len(exact) >= 30
    assert np.median(exact) > 0.9


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "delta", "least"),
    [
        ("LinearSVC, output", 0.0, 0.99),
        ("HistogramDensity, bins given", 0.0, 0.99),
        ("ThresholdPredictor", 0.0, 0.96),
        ("VotingPredictor, noisy maximum", 1e-3, 0.99),
    ],
)
def test_a_row_reaches_its_claim_exactly_and_survives(name: str, delta: float, least: float) -> None:
    row = audit_row(name, delta, samples=100, confidence=CONFIDENCE)
    exact = [attempt.measured for attempt in row.audit.attempts if attempt.exact]
    assert row.audit.survived
    assert exact[0] is not None
    assert least <= exact[0] <= 1 + 1e-4
    assert row.markdown().startswith(f"| {name} | 1 | {delta:g} |")


def test_an_unknown_row_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no release of the library"):
        audit_row("Nobody", 0.0)


def test_the_page_lists_what_releases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    few = tuple(target for target in library() if target.name in ("ThresholdPredictor", "brier_score"))
    monkeypatch.setattr("equipoise.audit.table.library", lambda: few)
    seen: list[tuple[int, int]] = []
    rows = audit_table(samples=60, confidence=CONFIDENCE, progress=lambda done, total: seen.append((done, total)))
    page = markdown(rows, 60, CONFIDENCE)
    assert [cells[0] for cells in lines_of(page)] == [target.name for target in few]
    assert seen == [(1, 2), (2, 2)]
    assert "| OracleSearch |" in page


@pytest.mark.slow
@pytest.mark.parametrize(("name", "delta"), [(target.name, target.delta) for target in library()])
def test_every_release_of_the_library_survives_a_full_audit(name: str, delta: float) -> None:
    assert audit_row(name, delta, samples=2000, confidence=CONFIDENCE).audit.survived


# --- false claims must be broken --------------------------------------------------------------------------------------


def target_named(name: str) -> Target:
    return next(target for target in library() if target.name == name and target.delta == 0)


def test_a_claim_of_half_the_epsilon_is_broken_by_the_exact_law() -> None:
    for name in ("LinearSVC, output", "ThresholdPredictor", "HistogramDensity, bins given"):
        audit = audit_target(replace(target_named(name), epsilon=0.5, labels=None), samples=60)
        assert not audit.survived
        assert [attempt.exact for attempt in audit.attempts if attempt.held is False] == [True]


def test_values_further_apart_than_stated_are_broken_by_frozen_noise() -> None:
    """The claim is about one row, but the release counts the first one twice."""
    honest = target_named("LinearSVC, output")

    def release(table: Data) -> Any:
        X, y = table
        twice = np.vstack([X, X[:1]]), np.append(y, y[:1])
        return honest.release(twice)

    audit = audit_target(replace(honest, release=release, plan=None, labels=None), samples=60)
    broken = [attempt.name for attempt in audit.attempts if attempt.held is False]
    assert "noise frozen on neighbours" in broken


def stranger(epsilon: float, scale: float, seed: int = 0) -> Target:
    """The sum of the first column, clipped to [−1, 1], in Laplace noise: sensitivity 2."""
    rng = np.random.default_rng(seed)
    release = lambda table: float(table[0][:, 0].clip(-1, 1).sum() + rng.laplace(scale=scale))  # noqa: E731
    return Target("a stranger's sum", epsilon, 0.0, release, corners(4), ours=False)


def test_a_stranger_s_honest_claim_survives_and_half_the_noise_is_caught() -> None:
    honest, short = (audit_target(stranger(2.0, scale), samples=3000) for scale in (1.0, 0.4))
    assert honest.survived
    assert honest.attempts[0].measured is not None
    assert honest.attempts[0].measured > 1.0
    assert not short.survived
    assert short.strongest is short.attempts[0]
    assert re.search("changes sign|label change", short.attempts[0].pair)  # the exchanges that move the sum by 2


def test_a_release_that_fails_on_one_neighbour_only_is_broken_by_that() -> None:
    def release(table: Data) -> float:
        if len(np.unique(table[1])) < 2:
            raise ValueError("one class")
        return 0.0

    audit = audit_target(replace(stranger(1.0, 1.0), release=release), samples=200)
    broken = [attempt for attempt in audit.attempts if attempt.held is False]
    assert [attempt.name for attempt in broken] == ["samples where it fails or warns on one table only"]
    assert "raised 200 times" in broken[0].told


def test_too_few_draws_decide_nothing() -> None:
    audit = audit_target(stranger(8.0, 1.0), samples=100)
    assert audit.attempts[0].held is None
    assert "might" in audit.attempts[0].told
    assert not audit.survived
    assert "Nothing could be checked" in audit.words


def test_a_release_that_always_raises_is_bad_input() -> None:
    def release(table: Data) -> float:
        raise ValueError

    with pytest.raises(InvalidInput, match="raised on every table"):
        audit_target(replace(stranger(1.0, 1.0), release=release), samples=60)


# --- parts ------------------------------------------------------------------------------------------------------------


def test_only_released_numbers_are_visible() -> None:
    X, y = np.linspace(-1, 1, 40)[:, None], (np.arange(40) % 2).astype(int)
    shown = visible(estimators.LogisticRegression(epsilon=1.0, classes=(0, 1)).fit(X, y))
    assert set(shown) == {"classes_", "coef_", "intercept_", "n_features_in_"}
    density = visible(estimators.HistogramDensity(bounds=(0, 1), bins=4).fit(X))
    assert density["density_"][0].shape == (4,)


def test_an_estimator_without_numbers_is_seen_through_its_predictions() -> None:
    from sklearn.tree import DecisionTreeClassifier

    release = fits(lambda: DecisionTreeClassifier(max_depth=1))
    assert np.asarray(release((np.array([[0.0], [1.0]]), np.array([0, 1])))).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_densities_differ_in_one_point() -> None:
    for pair in density_corners(6, 2):
        assert np.sum(np.any(pair.left[0] != pair.right[0], axis=1)) == 1


def test_names_are_found_at_home_and_abroad() -> None:
    from sklearn.linear_model import Ridge

    assert find_class("LinearSVC") is estimators.LinearSVC
    assert find_class("VotingPredictor") is answering.VotingPredictor
    assert find_class("equipoise.tuning:RandomSearch") is tuning.RandomSearch
    assert find_class("sklearn.linear_model:Ridge") is Ridge
    for wrong in ("Nobody", "no.such.module:Thing", "sklearn.linear_model:Thing", ":Thing", "math:pi"):
        with pytest.raises(InvalidInput):
            find_class(wrong)


RELEASING = set(estimators.__all__) - {
    "AdditiveClassifier", "AdditiveRegressor", "Encoder", "PrivateBounds", "PrivateCategories", "PrivateScaler",
    "FeatureSelector", "OutputPerturbed", "PeelingSelector", "SimplexFTRL", "count_clipped",
}  # fmt: skip
"""Those that need nothing but a table: an additive model needs column bounds, a schema is no table, others need an
estimator, and one decides round by round."""


@pytest.mark.parametrize(
    "name",
    [*sorted(RELEASING), "VotingPredictor", "AveragingPredictor", "StablePredictor", "SGDPredictor",
     "ThresholdPredictor", "DataSplitSearch", "RandomSearch", "StabilitySearch"],
)  # fmt: skip
def test_every_estimator_of_ours_runs_on_its_own_tables(name: str) -> None:
    target = estimator_target(name, epsilon=1.0)
    assert target.ours
    assert target.epsilon == 1.0
    with watching():
        for table in (target.pairs[0].left, target.pairs[0].right):
            assert not isinstance(witnessed(partial(target.release, table)), Raised)


def test_bad_options_of_an_estimator_name_the_rule() -> None:
    ridge = "sklearn.linear_model:Ridge"
    with pytest.raises(InvalidInput, match="states none"):
        estimator_target(ridge)
    with pytest.raises(InvalidInput, match="task"):
        estimator_target(ridge, epsilon=1.0, task="poet")
    with pytest.raises(InvalidInput, match="at least 2"):
        estimator_target(ridge, epsilon=1.0, rows=1)
    with pytest.raises(InvalidInput, match="not an option"):
        estimator_target("LinearSVC", options={"colour": 1})


def test_a_verdict_is_plain_data_and_points_at_what_broke() -> None:
    held = Attempt("one", True, "fine", 0.9, 1.0)
    broken = Attempt("two", False, "not fine", math.inf, 1.0)
    audit = Audit(Statement("x", "model", math.inf, 0.0), (held, broken), {"samples": math.nan})
    told = json.loads(json.dumps(audit.to_json(), allow_nan=False))
    assert told["strongest"] == "two"
    assert told["survived"] is False
    assert told["claim"]["epsilon"] is None
    assert told["attempts"][1]["outcome"] == "BROKEN"
    assert "broken by: two" in str(audit)
    assert Audit(audit.statement, (held,)).strongest is held
