"""OpenDP's samplers stand in for ours without changing a law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import equipoise as eq
from equipoise.errors import InvalidInput
from equipoise.gate.noise import Bits, OpenDPBits, SeededBits, discrete_gaussian, discrete_laplace, spherical_lattice
from equipoise.gate.noise.opendp_source import Integers
from equipoise.gate.source import noise_source

FALSE_ALARM = 1e-9
"""Chance that equal laws are told apart, for each comparison; OpenDP cannot be seeded."""


def test_opendp_and_our_samplers_agree_through_one_door() -> None:
    def gaussian(bits: Bits) -> Integers:
        return discrete_gaussian(2.0**24, 3000, bits)

    def laplace(bits: Bits) -> Integers:
        return discrete_laplace(2**24, 3000, bits)

    for draw in (gaussian, laplace):
        assert stats.ks_2samp(draw(SeededBits(1)), draw(OpenDPBits())).pvalue > FALSE_ALARM
        assert stats.ks_2samp(draw(SeededBits(1)), 2 * draw(OpenDPBits())).pvalue < FALSE_ALARM


def test_spherical_noise_is_made_from_opendp_gaussians_too() -> None:
    radii = [np.linalg.norm(spherical_lattice(2.0**-24, 5, OpenDPBits()) * 2.0**-24) for _ in range(400)]
    assert stats.kstest(radii, stats.gamma(5).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("mechanism", ["output", "objective", "noisy-gradient"])
def test_an_estimator_can_draw_from_opendp(mechanism: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 3)) / 2
    y = (X[:, 0] > 0).astype(int)
    model = eq.LogisticRegression(3.0, 1e-6, mechanism=mechanism, noise="opendp").fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.guarantee_.private


def test_opendp_refuses_a_seed_and_an_unknown_source_is_named() -> None:
    with pytest.raises(InvalidInput, match="secure bits only"):
        noise_source("opendp", 3)
    with pytest.raises(InvalidInput, match="noise='dice'"):
        noise_source("dice", None)
