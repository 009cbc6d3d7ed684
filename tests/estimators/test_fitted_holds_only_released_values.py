"""A fitted estimator keeps what the gate let out, and nothing else of the records."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import equipoise as eq
from equipoise.inside import Private, Records

FITTED = {"coef_", "intercept_", "n_features_in_", "guarantee_", "model_"}
N = 37


def everything_in(thing: Any, seen: set[int]) -> Iterator[Any]:
    """The thing, and all that hangs on it."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    yield thing
    for part in parts_of(thing):
        yield from everything_in(part, seen)


def parts_of(thing: Any) -> list[Any]:
    if isinstance(thing, dict):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, list | tuple | set | frozenset):
        return list(thing)
    if isinstance(thing, np.ndarray):
        return [] if thing.base is None else [thing.base]
    if isinstance(thing, type):
        return []
    slots = [field.name for field in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else []
    return [getattr(thing, name) for name in slots] + list(getattr(thing, "__dict__", {}).values())


def fitted(kind: Any, table: Any, **settings: Any) -> Any:
    return kind(1.0, 1e-6, ledger=eq.Ledger(), **settings).fit(*table)


@pytest.mark.parametrize("mechanism", ["auto", "output"])
def test_no_record_and_nothing_private_hangs_on_the_model(kind: Any, mechanism: str, table: Any) -> None:
    found = list(everything_in(fitted(kind, table, mechanism=mechanism), set()))
    assert not [thing for thing in found if isinstance(thing, Private | Records)]
    assert not [thing for thing in found if sparse.issparse(thing)]
    assert not [thing for thing in found if isinstance(thing, np.ndarray) and N in thing.shape]
    assert not [thing for thing in found if isinstance(thing, list | tuple | dict) and len(thing) == N]


def test_the_walk_would_find_what_it_looks_for(table: Any) -> None:
    planted = fitted(eq.LogisticRegression, table)
    planted.guarantee_.constants["leak"] = {"deep": [Private(table[0])]}
    planted.view_ = table[0].T[0]
    found = list(everything_in(planted, set()))
    assert [thing for thing in found if isinstance(thing, Private)]
    assert [thing for thing in found if isinstance(thing, np.ndarray) and N in thing.shape]


def test_fitted_attributes_are_those_promised(kind: Any, table: Any) -> None:
    own = {"classes_"} if kind in (eq.LogisticRegression, eq.LinearSVC) else set()
    attributes = {name for name in vars(fitted(kind, table)) if name.endswith("_")}
    assert attributes == FITTED | own
    X, y = table
    named = fitted(kind, (pd.DataFrame(X, columns=["a", "b", "c"]), y))
    assert {name for name in vars(named) if name.endswith("_")} == FITTED | own | {"feature_names_in_"}


def test_parameters_are_left_as_given(kind: Any, table: Any) -> None:
    model = kind(0.5, random_state=1)
    before = model.get_params()
    assert model.fit(*table).get_params() == before


def test_no_double_of_a_record_is_in_the_pickle(kind: Any, table: Any) -> None:
    X, y = table
    stored = pickle.dumps(fitted(kind, (X, y)))
    assert not [value for value in X.ravel() if value.tobytes() in stored or repr(float(value)).encode() in stored]


def numbers_of(model: Any) -> Any:
    """All that was released: of a constant the intercept alone is drawn."""
    return np.append(model.coef_, model.intercept_)


def test_two_tables_leave_the_same_public_facts(kind: Any, table: Any) -> None:
    X, y = table
    one, other = (kind(1.0, 1e-6).fit(*rows) for rows in ((X, y), (100 * X[::-1] ** 3, y)))
    assert one.guarantee_ == other.guarantee_
    assert not np.array_equal(numbers_of(one), numbers_of(other))


def test_shapes_are_those_of_scikit_learn(kind: Any, table: Any) -> None:
    model = fitted(kind, table)
    if kind in (eq.LogisticRegression, eq.LinearSVC):
        assert model.coef_.shape == (1, 3)
        assert model.intercept_.shape == (1,)
        assert model.decision_function(table[0]).shape == (N,)
    else:
        assert model.coef_.shape == (3,)
        assert isinstance(model.intercept_, float)


def test_without_intercept_there_is_none(kind: Any, table: Any) -> None:
    model = fitted(kind, table, fit_intercept=False)
    assert np.all(np.asarray(model.intercept_) == 0)
    assert model.guarantee_.constants["released numbers"] == 3


def test_a_seed_works_and_says_it_is_not_private(kind: Any, table: Any) -> None:
    model = kind(random_state=5).fit(*table)
    assert model.guarantee_.seeded
    assert not model.guarantee_.private
    assert "not private" in str(model.card()).lower()
    np.testing.assert_array_equal(model.coef_, kind(random_state=5).fit(*table).coef_)
    assert not np.array_equal(numbers_of(model), numbers_of(kind(random_state=6).fit(*table)))


@pytest.mark.parametrize("source", [np.random.default_rng(0), np.random.RandomState(0), np.int64(3)])
def test_generators_are_seeds_too(kind: Any, source: Any, table: Any) -> None:
    assert kind(random_state=source).fit(*table).guarantee_.seeded


def test_without_a_seed_every_fit_draws_its_own_noise(kind: Any, table: Any) -> None:
    model = kind().fit(*table)
    assert model.guarantee_.private
    assert "not private" not in str(model.card()).lower()
    assert not np.array_equal(numbers_of(model), numbers_of(kind().fit(*table)))
