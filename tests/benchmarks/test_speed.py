"""The measurement of speed: its short form runs, says what it compared, and fits exponents that are there."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.speed import command, logistic, others, plot
from benchmarks.speed import measure as measure_module
from benchmarks.speed.measure import Row, measure
from benchmarks.speed.problem import Problem, Size
from benchmarks.speed.results import exponent, growth, read, write
from threadpoolctl import threadpool_info

from equipoise.inside.threads import allowed, at_most


def row(n: int, seconds: float, contender: str = "auto", ratio: float = 2.0) -> Row:
    return Row("dense logistic", n, 100, None, contender, "plain", 7, ratio, 1.9, 2.1, seconds, 1e-4, "", "here")


def test_every_problem_has_its_baseline_among_its_contenders() -> None:
    for problem in command.PROBLEMS:
        known = problem.contenders(problem.make(Size(60, 3)))
        assert problem.baseline in known
        assert len(known) > 1


def test_the_short_form_measures_draws_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No assertion about a time: machines are busy.  A quotient of a thing with itself is near one on most."""
    drawn: list[Row] = []
    monkeypatch.setattr(plot, "draw", lambda rows, path: drawn.extend(rows))
    for _ in range(2):  # a second run takes the place of the first
        command.speed(["one gradient", "noise"], ["gradient", "discrete Gaussian"], 1, None, True, False, tmp_path)
    rows = read(tmp_path / "speed.csv")
    assert [(each.problem, each.contender) for each in rows] == [
        ("one gradient", "X @ w"),
        ("one gradient", "gradient"),
        ("noise", "numpy, normal"),
        ("noise", "discrete Gaussian"),
    ]
    assert drawn[4:] == rows
    assert all(
        each.ratio > 0 and each.low <= each.ratio <= each.high and "numpy" in each.configuration for each in rows
    )


def test_both_clocks_have_lines_of_their_own(tmp_path: Path) -> None:
    for wall in (False, True, True):
        command.speed(["one gradient"], ["gradient"], 1, None, True, False, tmp_path, wall)
    rows = read(tmp_path / "speed.csv")
    told = [(each.contender, each.clock, each.threads) for each in rows]
    many = measure_module.WALL.threads
    assert told == [
        ("X @ w", "processor", 1),
        ("gradient", "processor", 1),
        ("X @ w", "wall", many),
        ("gradient", "wall", many),
    ]
    assert all(f"{each.threads} thread" in each.configuration for each in rows)
    shown = command.table(rows)
    assert [column.header for column in shown.columns][3] == "clock"


def test_by_processor_time_everybody_has_one_thread() -> None:
    seen: list[set[int]] = []

    def look() -> object:
        seen.append({allowed(), *(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")})
        return None

    problem = Problem("look", "plain", others.no_table, lambda _: {"plain": lambda: look}, (Size(0, 0),), Size(0, 0))
    with at_most(3):
        list(measure(problem, Size(0, 0), None, 1, lambda _: None))
    assert seen
    assert all(each == {1} for each in seen)


def test_private_fits_are_measured_beside_plain_ones_with_their_gap() -> None:
    (dense,) = (each for each in logistic.PROBLEMS if each.name == "dense logistic")
    found = {each.contender: each for each in measure(dense, Size(500, 4), ["output", "objective"], 1, lambda _: None)}
    assert set(found) == {"scikit-learn, lbfgs", "output", "objective"}
    assert abs(found["scikit-learn, lbfgs"].gap or 0.0) <= logistic.GAP + 1e-9
    assert all((found[name].gap or 0.0) > logistic.GAP for name in ("output", "objective"))


def test_what_fails_is_named_and_the_others_go_on() -> None:
    def broken() -> object:
        raise ValueError("on purpose")

    problem = Problem(
        "broken",
        "plain",
        others.no_table,
        lambda _: {"plain": lambda: lambda: sum(range(1000)), "broken": lambda: broken},
        (Size(0, 0),),
        Size(0, 0),
    )
    plain, other = measure(problem, Size(0, 0), None, 3, lambda _: None)
    assert (plain.failed, other.failed, other.repeats) == ("", "ValueError", 0)


def test_exponents_are_those_of_the_times(tmp_path: Path) -> None:
    rows = [row(n, 3e-6 * n**1.25) for n in (100, 1000, 10_000)]
    assert exponent([1, 10, 100], [2, 20, 200]) == pytest.approx(1.0)
    ((_, _, power),) = growth(rows, "n").values()
    assert power == pytest.approx(1.25)
    assert growth(rows, "d") == {}
    write(tmp_path / "a.csv", [*rows, row(100, 5.0, ratio=9.0)])
    again = read(tmp_path / "a.csv")
    assert len(again) == 3
    assert again[0].ratio == 9.0


def test_exponents_along_one_axis_hold_the_others_still(tmp_path: Path) -> None:
    """Of sparse tables those with other numbers of rows or columns are left out, and a picture has a panel for each."""
    sparse = [
        Row("sparse logistic", 500, d, filled, "auto", "plain", 7, 2.0, 1.9, 2.1, 1e-3 * filled**0.5 * d, None, "", "x")
        for d, filled in ((100, 3), (100, 10), (100, 30), (200, 90))
    ]
    assert growth(sparse, "filled")["sparse logistic", "auto"][2] == pytest.approx(0.5)
    assert growth(sparse, "n") == growth(sparse, "d") == {}
    assert [told[1:3] for told in plot.powers(sparse)] == [("filled", "auto")]
    assert plot.draw(sparse, tmp_path / "speed.png")
    assert not plot.draw(sparse[:2], tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()


def test_an_unknown_problem_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must be of"):
        command.speed(["nothing"], None, 1, None, True, False, tmp_path)
