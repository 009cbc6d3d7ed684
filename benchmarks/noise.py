"""How long secure noise takes, relative to numpy's ordinary normals and, if installed, to OpenDP.

Run: python benchmarks/noise.py
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable

import numpy as np

from equipoise.gate.noise import SecureBits, discrete_gaussian, discrete_laplace, spherical_lattice

COUNT = 1_000_000
OPENDP_COUNT = 20_000
SIGMA = 2.0**30
REPEATS = 3


def seconds(work: Callable[[], object]) -> float:
    """The fastest of a few runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def opendp_seconds_per_draw() -> float:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"), size=OPENDP_COUNT)
    noise = dp.m.make_gaussian(domain, dp.l2_distance(T="i64"), scale=SIGMA)
    zeros = [0] * OPENDP_COUNT
    return seconds(lambda: noise(zeros)) / OPENDP_COUNT


def main() -> None:
    bits, generator = SecureBits(), np.random.default_rng()
    normal = seconds(lambda: generator.standard_normal(COUNT))
    gaussian = seconds(lambda: discrete_gaussian(SIGMA, COUNT, bits))
    laplace = seconds(lambda: discrete_laplace(2**30, COUNT, bits))
    spherical = seconds(lambda: spherical_lattice(2.0**-30, COUNT, bits))
    print(f"numpy standard_normal      {normal:7.3f} s per {COUNT:,}")
    for name, taken in (
        ("discrete_gaussian", gaussian),
        ("discrete_laplace", laplace),
        ("spherical_lattice", spherical),
    ):
        print(f"{name:<26} {taken:7.3f} s per {COUNT:,}, {taken / normal:5.1f} times numpy")
    if importlib.util.find_spec("opendp"):
        ratio = opendp_seconds_per_draw() / (gaussian / COUNT)
        print(f"opendp discrete Gaussian   {ratio:7.1f} times ours, per draw")


if __name__ == "__main__":
    main()
