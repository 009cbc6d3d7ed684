"""The noise audit passes the library, and fails every planted fault."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.audit.noise.audits import NoiseAudit, low_bit_checks, noise_audit, repetition_check, seed_checks
from equipoise.audit.noise.laws import FALSE_ALARM, Check, law_checks
from equipoise.errors import InvalidInput
from equipoise.gate import Bits, laws, noise_source
from equipoise.theory.noise import Law, Noise

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
DRAWS = 10_000


def fresh() -> Bits:
    return noise_source("equipoise", None)


def failed(checks: list[Check]) -> set[str]:
    return {check.name for check in checks if not check.holds}


def test_the_library_passes_and_every_sampler_is_in_the_table() -> None:
    """Each of some fifty checks fails by bad luck with at most FALSE_ALARM."""
    assert FALSE_ALARM <= 1e-6
    found = noise_audit(draws=DRAWS)
    assert found.holds, str(found)
    named = str(found)
    for word in (
        "laplace",
        "gaussian",
        "spherical",
        "inversion",
        "coin",
        "order",
        "vote",
        "flip",
        "runs",
        "fork",
        "process",
    ):
        assert word in named
    assert "noise audit holds" in named


@pytest.mark.parametrize("part", [0.7, 1.3])
@pytest.mark.parametrize("law", list(Law))
def test_a_scale_30_per_cent_off_is_rejected(law: Law, part: float) -> None:
    def wrong(noise: Noise, bits: Bits) -> Integers:
        scale = noise.scale * part if noise.law is law else noise.scale
        return laws.draw(Noise(noise.law, scale, noise.step, noise.dim), bits)

    bad = failed(law_checks(wrong, noise_source("equipoise", 1), DRAWS))
    assert any(name.startswith(law.value) for name in bad)
    assert all(name.startswith(law.value) for name in bad)


def test_a_cut_off_tail_is_rejected() -> None:
    def cut(noise: Noise, bits: Bits) -> Integers:
        drawn = laws.draw(noise, bits)
        limit = int(3 * noise.scale) if noise.law is Law.GAUSSIAN else np.iinfo(np.int64).max
        return np.clip(drawn, -limit, limit)

    assert "gaussian, tail beyond 3 scales" in failed(law_checks(cut, noise_source("equipoise", 2), 20_000))


def test_noise_that_is_always_even_is_rejected() -> None:
    def even(noise: Noise, bits: Bits) -> Integers:
        return laws.draw(noise, bits) // 2 * 2

    assert "laplace, lowest byte uniform" in failed(law_checks(even, noise_source("equipoise", 3), DRAWS))


def test_a_fixed_seed_is_rejected_everywhere_it_shows() -> None:
    def fixed() -> Bits:
        return noise_source("equipoise", 7)

    bad = failed(seed_checks(fixed))
    assert {"no word twice: fresh sources", "no word twice: fresh sources in forks"} <= bad
    assert not repetition_check(laws.draw, fixed, 10).holds
    assert repetition_check(laws.draw, fresh, 100).holds


def test_a_source_that_a_fork_copies_is_rejected() -> None:
    """State kept in the process: each call moves on, but a child starts from the parent's place."""
    state = noise_source("equipoise", 11)
    bad = failed(seed_checks(lambda: state))
    assert bad == {"no word twice: fresh sources in forks"}


def test_numbers_beside_the_grid_and_low_bits_that_follow_the_data_are_rejected() -> None:
    bits, step = noise_source("equipoise", 5), 2.0**-10

    def on_grid(which: int) -> Array:
        return laws.draw(Noise(Law.GAUSSIAN, 2.0**20, 1.0, 4), bits).astype(np.float64) * step

    assert not failed(low_bit_checks(on_grid, step))
    beside = failed(low_bit_checks(lambda which: on_grid(which) + 1e-9, step))
    assert "released numbers lie on the grid" in beside
    telling = failed(low_bit_checks(lambda which: on_grid(which) * 2 + which * step, step))
    assert {"both data sets show the same lowest bits", "lowest bits equally often"} <= telling


def test_bad_parameters_are_refused_before_anything_is_drawn() -> None:
    with pytest.raises(InvalidInput, match="draws=100"):
        noise_audit(draws=100)
    with pytest.raises(InvalidInput, match="give both or neither"):
        noise_audit(step=1.0)


def test_a_failed_check_makes_the_verdict_and_is_named() -> None:
    found = NoiseAudit((Check("first", 0.5, True), Check("second", 0.0, False, "3 twice")))
    assert not found.holds
    assert [check.name for check in found.failed] == ["second"]
    assert "FAILS: 1 of 2" in str(found)
