"""The other linear models, noise, and what a start takes: each beside its plain counterpart."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import HuberRegressor, Ridge
from sklearn.svm import LinearSVC

import equipoise as eq
from benchmarks.speed.logistic import DELTA, EPSILON
from benchmarks.speed.problem import Problem, Size, Table, Work, classes_for, numbers_for, simulated
from equipoise.gate.noise import SecureBits, discrete_gaussian, discrete_laplace

SIZES = (Size(100_000, 50),)
QUICK = Size(2000, 10)
SIGMA = 2.0**30
BOUNDS = (-8.0, 8.0)
COMMAND = "import sys; from equipoise.cli.main import run; sys.argv = ['equipoise', '--help']; run()"


def of_numbers(size: Size) -> Table:
    X = simulated(size)
    return Table(X, numbers_for(X))


def of_classes(size: Size) -> Table:
    X = simulated(size)
    return Table(X, classes_for(X))


def fitted(found: Table, make: Callable[[], Any]) -> Callable[[], Work]:
    return lambda: lambda: make().fit(found.X, found.y)


def private(found: Table, kind: Any, mechanism: str, delta: float, **more: Any) -> Callable[[], Work]:
    return fitted(found, lambda: kind(EPSILON, delta=delta, mechanism=mechanism, random_state=1, **more))


def least_squares(found: Table) -> dict[str, Callable[[], Work]]:
    of = partial(private, found, eq.LinearRegression, label_bounds=BOUNDS)
    return {
        "scikit-learn, Ridge": fitted(found, Ridge),
        "auto": of(mechanism="auto", delta=DELTA),
        "auto, delta=0": of(mechanism="auto", delta=0.0),
        "sufficient-statistics": of(mechanism="sufficient-statistics", delta=DELTA),
        "output": of(mechanism="output", delta=0.0),
        "functional": of(mechanism="functional", delta=0.0),
    }


def huber(found: Table) -> dict[str, Callable[[], Work]]:
    of = partial(private, found, eq.HuberRegressor, label_bounds=BOUNDS)
    return {
        "scikit-learn, HuberRegressor": fitted(found, HuberRegressor),
        "auto": of(mechanism="auto", delta=DELTA),
        "output": of(mechanism="output", delta=0.0),
    }


def machine(found: Table) -> dict[str, Callable[[], Work]]:
    of = partial(private, found, eq.LinearSVC)
    return {
        "scikit-learn, LinearSVC": fitted(found, LinearSVC),
        "auto": of(mechanism="auto", delta=DELTA),
        "output": of(mechanism="output", delta=0.0),
    }


def no_table(size: Size) -> Table:
    return Table(np.empty((size.n, 0)), np.empty(size.n))


def noise(found: Table) -> dict[str, Callable[[], Work]]:
    """A million draws, or as many as there are rows; OpenDP's a twentieth of them, counted twenty times."""
    bits, generator, count = SecureBits(), np.random.default_rng(), len(found.y)
    return {
        "numpy, normal": lambda: lambda: generator.standard_normal(count),
        "discrete Gaussian": lambda: lambda: discrete_gaussian(SIGMA, count, bits),
        "discrete Laplace": lambda: lambda: discrete_laplace(2**30, count, bits),
        "OpenDP, discrete Gaussian": lambda: opendp(count),
    }


def opendp(count: int) -> Work:
    import opendp.prelude as dp  # type: ignore[import-not-found,unused-ignore]  # an extra

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"), size=count)
    law = dp.m.make_gaussian(domain, dp.l2_distance(T="i64"), scale=SIGMA)
    zeros = [0] * count
    return lambda: law(zeros)


def start(found: Table) -> dict[str, Callable[[], Work]]:
    """Processes of their own; the time of children is counted."""
    inside = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

    def run(*command: str) -> Callable[[], Work]:
        return lambda: (
            lambda: subprocess.run([sys.executable, *command], env=inside, check=True, stdout=subprocess.DEVNULL)
        )

    return {
        "import sklearn.linear_model": run("-c", "import sklearn.linear_model"),
        "import equipoise": run("-c", "import equipoise"),
        "from equipoise import LogisticRegression": run("-c", "from equipoise import LogisticRegression"),
        "equipoise --help": run("-c", COMMAND),
    }


PROBLEMS = (
    Problem("least squares", "scikit-learn, Ridge", of_numbers, least_squares, SIZES, QUICK),
    Problem("Huber", "scikit-learn, HuberRegressor", of_numbers, huber, SIZES, QUICK),
    Problem("support vectors", "scikit-learn, LinearSVC", of_classes, machine, SIZES, QUICK),
    Problem("noise", "numpy, normal", no_table, noise, (Size(100_000, 0),), Size(1000, 0)),
    Problem("start", "import sklearn.linear_model", no_table, start, (Size(0, 0),), Size(0, 0)),
)
