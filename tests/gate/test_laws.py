"""Which sampler a law is drawn by: the discrete Gaussian, for very many numbers the rounded one that it stands for."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import equipoise
from equipoise.errors import MechanismRefused
from equipoise.gate import laws
from equipoise.gate.answers.linear_answers import draw_many
from equipoise.gate.noise import OpenDPBits, SecureBits, SeededBits, discrete_gaussian
from equipoise.gate.noise.rounded import LARGEST_SCALE, rounded_gaussian
from equipoise.gate.tables.counts import counts_noise
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law, Noise

DRAWS = 4000
STEP = 2.0**-30


def gaussian(dim: int, in_steps: float = 2.0**24) -> Noise:
    return Noise(Law.GAUSSIAN, in_steps * STEP, STEP, dim)


@pytest.mark.parametrize("dim", [1, 63, 70_000])
def test_gaussian_noise_is_drawn_by_inversion(dim: int) -> None:
    by_inversion = rounded_gaussian(2.0**24, dim, SeededBits(1))
    np.testing.assert_array_equal(laws.draw(gaussian(dim), SeededBits(1)), by_inversion)


@pytest.mark.parametrize("in_steps", [0.5, LARGEST_SCALE])
def test_on_other_grids_it_is_discrete(in_steps: float) -> None:
    """Coarser than inversion is proved for, or finer than its doubles tell apart."""
    as_ever = discrete_gaussian(in_steps, 50, SeededBits(1))
    np.testing.assert_array_equal(laws.draw(gaussian(50, in_steps), SeededBits(1)), as_ever)


@pytest.mark.parametrize("in_steps", [0.5, 4.0, 2.0**24, 2.0**39, LARGEST_SCALE])
def test_on_every_grid_the_deviation_is_the_planned_one(in_steps: float) -> None:
    """Up to 6 per cent, five standard errors of so many draws; a discrete law of half a step has .89 of its scale."""
    drawn = laws.draw(gaussian(DRAWS, in_steps), SecureBits()).astype(float)
    told = float(np.sqrt(np.mean(drawn**2))) / in_steps
    assert told == pytest.approx(0.89 if in_steps < 1 else 1.0, rel=0.06 if in_steps > 1 else 0.1)


def test_a_strangers_sampler_is_asked_for_all_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def zeros(bits: OpenDPBits, sigma: float, size: int) -> npt.NDArray[np.int64]:
        asked.append(size)
        return np.zeros(size, dtype=np.int64)

    monkeypatch.setattr(OpenDPBits, "gaussian", zeros)
    for dim in (3, laws.MANY):
        laws.draw(gaussian(dim), OpenDPBits())
    assert asked == [3, laws.MANY]


EPSILONS = [1e-300, *(10.0**power for power in range(-20, 4)), 1e6, 1e12, 1e300, 1.7e308]
MOVED = [1e-60, 1e-3, 1.0, 1e60]


def _planned(epsilon: float, l2: float, dim: int) -> list[Noise]:
    """Every law that this ε and sensitivity can ask for; of those that are refused, none."""
    asked: list[Callable[[], Noise]] = [
        lambda: laws.pure(l2, dim, epsilon).noise,
        lambda: laws.laplace(l2, dim, epsilon),
        lambda: laws.pure(laws.spanning(l2, epsilon, 1e9), dim, epsilon).noise,
        lambda: laws.gaussian(l2, dim, epsilon, 1e-6).noise,
        lambda: laws.joint(l2, dim, Budget(epsilon, 1e-6))[0].noise,
        lambda: laws.joint(l2, dim, Budget(epsilon, 1e-305))[0].noise,
        lambda: laws.gaussian_of(l2, dim, epsilon),
        lambda: counts_noise(dim, 2, epsilon),
    ]
    found: list[Noise] = []
    for law in asked:
        with suppress(MechanismRefused):
            found.append(law())
    assert len(found) == len(asked) or epsilon < 1e-3
    return found


@pytest.mark.parametrize("dim", [1, 2, 7])
@pytest.mark.parametrize("l2", MOVED)
def test_noise_that_was_planned_can_be_drawn_by_every_sampler_of_its_law(l2: float, dim: int) -> None:
    planned = list(itertools.chain(*(_planned(epsilon, l2, dim) for epsilon in EPSILONS)))
    assert len(planned) > 8 * len(EPSILONS) / 2
    for noise in planned:
        assert np.all(np.isfinite(noise.step * laws.draw(noise, SeededBits(1)).astype(float)))
        if noise.law is not Law.SPHERICAL and noise.scale >= 4 * noise.step:
            draw_many(noise, SeededBits(1))


@pytest.mark.parametrize("law", list(Law))
def test_the_most_steps_of_each_law_are_drawn_and_no_more_are_planned(law: Law) -> None:
    most = laws.MOST_STEPS[law]
    assert laws.draw(laws.drawable(Noise(law, most * STEP, STEP, 3)), SeededBits(1)).shape == (3,)
    with pytest.raises(MechanismRefused, match="too small"):
        laws.drawable(Noise(law, most * STEP * (1 + 1e-9), STEP, 3))


def test_no_noise_is_planned_that_was_not_looked_at() -> None:
    """Everywhere in the gate but where practice noise is drawn, which protects nothing and whose scale was settled."""
    unlooked = []
    for path in sorted((Path(equipoise.__file__).parent / "gate").rglob("*.py")):
        tree = ast.parse(path.read_text())
        looked = {id(call.args[0]) for call in _calls(tree, "drawable")}
        unlooked += [path.name for call in _calls(tree, "Noise") if id(call) not in looked]
    assert unlooked == ["training.py", "density.py"]


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name]
