"""Problems of the standing comparison: public encodings, and three sets that do not mix."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.utility import problems
from benchmarks.utility.command import COMMITTED
from benchmarks.utility.problem import DESIGN, FRESH, SEEN, Category, Number, cut, lengths, split, tabular
from benchmarks.utility.results import read
from benchmarks.utility.simulated import FAMILY
from benchmarks.utility.tables import fetched
from scipy import sparse

COLUMNS = (Number("age", 0, 100), Category("sex", ("m", "f")))


def test_an_encoding_depends_on_its_own_row_alone() -> None:
    values = {"age": np.array([0.0, 50.0, 1e9]), "sex": np.array(["m", "f", "?"])}
    whole = tabular("t", COLUMNS, values, np.array([0, 1, 0]))
    alone = tabular("t", COLUMNS, {name: column[1:2] for name, column in values.items()}, np.array([1]))
    assert np.array_equal(whole.X[1:2], alone.X)


def test_values_beyond_public_facts_are_cut_or_count_as_the_first_level() -> None:
    values = {"age": np.array([1e9, np.nan]), "sex": np.array(["?", "m"])}
    found = tabular("t", COLUMNS, values, np.array([0, 1]))
    assert found.raw is not None
    assert found.raw.values.tolist() == [[100.0, 0.0], [50.0, 0.0]]


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_no_row_is_longer_than_one(convert: type) -> None:
    rows = convert(np.array([[3.0, 4.0], [0.3, 0.4]]))
    assert lengths(cut(rows)) == pytest.approx([1.0, 0.5])


@pytest.mark.parametrize("each", [each for each in FAMILY if each.rows * min(each.columns, 99) <= 50_000])
def test_a_simulated_problem_is_the_same_every_time(each: object) -> None:
    name = f"sim-{each.name}"  # type: ignore[attr-defined]
    once, again = problems.SPECS[name].load(), problems.SPECS[name].load()
    assert np.array_equal(once.y, again.y)
    assert lengths(once.X).max() <= 1 + 1e-12
    assert set(np.unique(once.y)) == set(range(once.classes)) or once.task == "regression"


def test_every_seed_splits_all_rows_into_two_parts() -> None:
    problem = problems.load("sim-tiny")
    first, second = split(problem, 0), split(problem, 1)
    assert len(first.y) + len(first.y_test) == len(problem.y)
    assert np.array_equal(first.X, split(problem, 0).X)
    assert not np.array_equal(first.X, second.X)


def test_the_family_reaches_from_small_to_large() -> None:
    rows, columns = ({getattr(each, name) for each in FAMILY} for name in ("rows", "columns"))
    assert min(rows) == 200
    assert max(rows) == 1_000_000
    assert min(columns) == 1
    assert max(columns) == 100_000


def test_enough_tables_were_never_seen_and_they_are_mixed() -> None:
    fresh = [spec for spec in problems.SPECS.values() if spec.place == FRESH]
    assert sum(spec.source != "simulated" for spec in fresh) >= 25
    assert len({spec.source for spec in fresh}) >= 5
    shapes = [each for each in FAMILY if each.place == FRESH]
    assert any(each.zeros for each in shapes)
    assert any(each.uneven for each in shapes)
    assert any(each.signal == 0 for each in shapes)
    assert any(each.rare < 0.05 for each in shapes)
    assert any(each.skewed for each in shapes)
    assert any(each.marks for each in shapes)


def test_tables_that_were_looked_at_do_not_come_back_as_new() -> None:
    """By their source: what scikit-learn carries and what the data folder holds has been looked at."""
    old = [spec.source for spec in problems.SPECS.values() if spec.place in (DESIGN, SEEN)]
    assert {"scikit-learn", "data folder"} <= set(old)
    fresh = {spec.source for spec in problems.SPECS.values() if spec.place == FRESH}
    assert not fresh & {"scikit-learn", "data folder"}


def test_no_table_hides_another_of_the_same_name() -> None:
    assert sum(len(file.SPECS) for file in problems.FILES) == len(problems.SPECS)


def test_a_table_that_was_new_in_the_results_is_in_the_set_that_the_source_says() -> None:
    """A table that became `seen` must not be counted among the new ones by the lines that were written before."""
    for result in read(COMMITTED.csv).values():
        assert result.place == problems.SPECS[result.problem].place, result.problem


def test_marks_are_yes_or_no_and_skewed_numbers_lean_to_one_side() -> None:
    marks = problems.load("sim-handful")
    assert marks.raw is not None
    assert len(np.unique(marks.raw.values)) == 2
    assert abs(np.mean(marks.raw.values > 0) - 0.2) < 0.05
    skewed = problems.load("sim-number-skewed")
    assert np.mean(skewed.y) > np.median(skewed.y) + 0.5
    assert abs(np.mean(skewed.y) - 10) < 0.3


def test_zeros_and_uneven_noise_are_what_they_say() -> None:
    zeros = problems.load("sim-number-zeros")
    assert abs(np.mean(zeros.y == 0.0) - 0.6) < 0.01
    uneven = problems.load("sim-number-uneven")
    fitted = uneven.X @ np.linalg.lstsq(uneven.X, uneven.y - uneven.y.mean(), rcond=None)[0]
    left = np.abs(uneven.y - uneven.y.mean() - fitted)
    high = fitted > np.median(fitted)
    assert left[high].mean() > 1.5 * left[~high].mean()


def test_weka_files_are_read_by_the_names_in_their_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = "% a remark\n@relation t\n@ATTRIBUTE v(g)\tnumeric\n@attribute sure {false,true}\n\n@DATA\n"
    (tmp_path / "t.arff").write_text(head + "1.5,false\n\n% another\n?, true\n")
    monkeypatch.setattr(fetched, "folder", lambda: tmp_path)
    found = fetched.read_arff("t.arff")
    assert list(found.columns) == ["v(g)", "sure"]
    assert found.to_numpy().tolist() == [["1.5", False], ["?", True]]
