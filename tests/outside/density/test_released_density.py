"""The released density: its functions agree with each other, files read back exactly, and bad ones are refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import InvalidInput, UnreadableFile
from equipoise.outside.density.files import load_density
from equipoise.outside.density.merge import best_merged, merged
from equipoise.outside.density.released_density import FLOOR, Density, density_from_counts, nearest_masses
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.tables.density import Box, coarse_score

Array = npt.NDArray[np.float64]
PROMISE = Guarantee(1.0, 0.0, 0.0, Adjacency.REPLACE_ONE, "histogram-density", "test", 2.0, 2.0, False)
MASS = [0.1, 0.0, 0.6, 0.3]


def line() -> Density:
    return Density(Box((10.0,), (18.0,)), np.array(MASS), PROMISE)


def block() -> Density:
    mass = np.random.default_rng(3).dirichlet(np.ones(24)).reshape(2, 3, 4)
    return Density(Box((0.0, -1.0, 5.0), (1.0, 1.0, 9.0)), mass, PROMISE)


def test_the_density_is_constant_within_cells_and_zero_outside() -> None:
    assert line().pdf([9.9, 10.0, 11.99, 12.0, 14.0, 18.0, 18.1]) == pytest.approx([0, 0.05, 0.05, 0, 0.3, 0.15, 0])
    assert float(line().pdf(15.0)) == pytest.approx(0.3)
    assert line().pdf(np.array([[15.0], [17.0]])).shape == (2,)


def test_the_cdf_is_the_integral_of_the_density() -> None:
    x = np.linspace(9, 19, 2001)
    steps = np.concatenate([[0.0], np.cumsum(line().pdf((x[1:] + x[:-1]) / 2)) * 0.005])
    assert line().cdf(x) == pytest.approx(steps, abs=1e-9)
    assert line().cdf([-math.inf, math.inf]).tolist() == [0.0, 1.0]


def test_the_joint_cdf_counts_the_share_of_points_below() -> None:
    density = block()
    uniform = np.random.default_rng(0).random((40_000, 4))
    points = density.points_at(uniform)
    for corner in ([0.3, 0.2, 6.5], [1.0, 1.0, 9.0], [0.9, -0.5, 8.8], [0.5, 1.0, 6.0]):
        share = np.mean((points <= corner).all(axis=1))
        assert float(density.cdf(corner)) == pytest.approx(share, abs=0.015)


def test_points_fill_cells_by_their_mass_and_never_an_empty_one() -> None:
    uniform = np.random.default_rng(1).random((20_000, 2))
    uniform[:3, 0] = 0.0, 0.1, 1 - 2.0**-53
    counts = np.histogram(line().points_at(uniform), line().edges[0])[0]
    assert counts[1] == 0
    assert counts / 20_000 == pytest.approx(MASS, abs=0.02)


def test_log_densities_have_a_floor() -> None:
    assert line().log_pdf([13.0, 99.0]) == pytest.approx(math.log(FLOOR / 8))
    assert float(line().log_pdf(15.0)) == pytest.approx(math.log(0.3))


def test_masses_are_the_nearest_point_of_the_simplex() -> None:
    rng = np.random.default_rng(2)
    for size in (1, 2, 9):
        shares = rng.normal(size=size)
        nearest = nearest_masses(shares)
        assert nearest.sum() == pytest.approx(1.0)
        distance = float(np.sum((nearest - shares) ** 2))
        for other in rng.dirichlet(np.ones(size) * 0.3, size=500):
            assert np.sum((other - shares) ** 2) >= distance - 1e-12


def test_counts_without_a_positive_sum_become_the_uniform_density() -> None:
    found = density_from_counts(Box((0.0,), (1.0,)), np.array([-3.0, -1.0, 2.0]), None, PROMISE)
    assert found.mass == pytest.approx(np.full(3, 1 / 3))
    known = density_from_counts(Box((0.0,), (1.0,)), np.array([-3.0, -3.0, -3.0]), 5, PROMISE)
    assert known.mass == pytest.approx(np.full(3, 1 / 3))


@pytest.mark.parametrize("density", [line(), block()], ids=["line", "block"])
def test_a_file_reads_back_exactly(density: Density, tmp_path: Path) -> None:
    density.save(tmp_path / "d.json")
    read = load_density(tmp_path / "d.json")
    assert np.array_equal(read.mass, density.mass)
    assert read.box == density.box
    assert read.guarantee == density.guarantee


def spoilt(**changes: Any) -> bytes:
    fields = {"format": "equipoise-density", "schema": 1, "low": [0.0], "high": [1.0], "bins": [2], "mass": [0.5, 0.5]}
    return json.dumps(fields | {"guarantee": {}} | changes).encode()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"{", "damaged"),
        (b"[]", "other file"),
        (spoilt(format="equipoise-model"), "other file"),
        (spoilt(schema=3), "newer"),
        (spoilt(schema=True), "schema"),
        (spoilt(bins=[0]), "bins"),
        (spoilt(mass=[0.5]), "guarantee"),
        (spoilt(low=["a"]), "low"),
        (spoilt(mass=math.nan), "NaN"),
    ],
)
def test_a_bad_file_is_one_clear_line(raw: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(raw)
    with pytest.raises(UnreadableFile, match=said) as caught:
        load_density(path)
    assert "\n" not in str(caught.value)


def test_a_file_whose_masses_do_not_fit_is_refused(tmp_path: Path) -> None:
    line().save(tmp_path / "d.json")
    fields = json.loads((tmp_path / "d.json").read_text(encoding="utf-8"))
    for change in ({"mass": [0.5, 0.5, 0.5, 0.5]}, {"mass": [1.0]}, {"bins": [4, 1]}, {"low": [30.0]}):
        (tmp_path / "bad.json").write_text(json.dumps(fields | change), encoding="utf-8")
        with pytest.raises(UnreadableFile):
            load_density(tmp_path / "bad.json")
    with pytest.raises(UnreadableFile, match="no such file"):
        load_density(tmp_path / "absent.json")


@pytest.mark.parametrize("x", ["text", [[1.0, 2.0]], math.nan], ids=["text", "columns", "nan"])
def test_bad_points_are_refused(x: Any) -> None:
    with pytest.raises(InvalidInput, match="x:"):
        block().pdf(x)


@pytest.mark.parametrize("mass", [[0.5, 0.6], [1.5, -0.5], [[1.0]], [math.nan, 1.0], []])
def test_masses_that_are_no_density_are_refused(mass: Any) -> None:
    with pytest.raises(InvalidInput, match="mass"):
        Density(Box((0.0,), (1.0,)), np.array(mass), PROMISE)


def test_plots_show_the_density_in_one_and_two_dimensions_and_refuse_three() -> None:
    axes = line().plot()
    assert axes.patches[0].get_data().values == pytest.approx(line().heights)
    flat = Density(Box((0.0, 0.0), (1.0, 2.0)), np.array([[0.1, 0.2, 0.3], [0.4, 0.0, 0.0]]), PROMISE)
    given = plt.figure().subplots()
    assert flat.plot(given) is given
    shown = np.asarray(given.collections[0].get_array())
    assert shown.T.ravel() == pytest.approx(flat.heights.ravel())
    plt.close("all")
    with pytest.raises(InvalidInput, match="plot"):
        block().plot()


def test_merged_cells_hold_the_sums_of_their_parts() -> None:
    fine = np.arange(24.0).reshape(4, 6)
    assert merged(fine, (2, 3)).tolist() == [
        [fine[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].sum() for j in range(3)] for i in range(2)
    ]
    assert merged(fine, (1, 1)).tolist() == [[fine.sum()]]
    assert np.array_equal(merged(fine, (4, 6)), fine)


def test_even_counts_are_merged_and_a_spike_is_kept() -> None:
    shapes = ((1,), (2,), (8,))
    even = 100 + np.random.default_rng(0).laplace(scale=3.0, size=8)
    assert best_merged(even, shapes, 800, 18.0).size == 1
    spike = np.array([0.0, 0, 800, 0, 0, 0, 0, 0])
    assert np.array_equal(best_merged(spike, shapes, 800, 18.0), spike)
    assert np.array_equal(best_merged(spike, shapes, None, 18.0), spike), "the number of rows may be secret"
    assert best_merged(-spike, shapes, None, 18.0).size == 1
    assert best_merged(spike, (), 800, 18.0) is spike


def test_the_estimated_score_is_right_on_average_over_the_noise() -> None:
    rng, counts, n, scale = np.random.default_rng(7), np.array([40.0, 5, 0, 30, 15, 10, 0, 0]), 100, 4.0
    for size in (2, 8):
        exact = merged(counts, (size,))
        wanted = coarse_score(float(exact @ exact), n, size, 8, 0.0) - size * 8 * 2 * scale**2 / n**2
        found = []
        for _ in range(20_000):
            noisy = merged(counts + rng.laplace(scale=scale, size=8), (size,))
            found.append(coarse_score(float(noisy @ noisy), n, size, 8, 2 * scale**2))
        assert float(np.mean(found)) == pytest.approx(wanted, abs=6 * float(np.std(found)) / 20_000**0.5)
