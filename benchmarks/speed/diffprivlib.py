"""diffprivlib in its own environment: it fits there and says how much processor time that took."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.speed.problem import Table, Work
from benchmarks.utility.doors.door import environment

NAME = "diffprivlib"
SCRIPT = """
import sys, time, warnings
import numpy as np
from diffprivlib import models
warnings.simplefilter("ignore")
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
for line in sys.stdin:
    start = time.process_time()
    models.LogisticRegression(epsilon=float(line), data_norm=1.0).fit(X, y)
    print(time.process_time() - start, flush=True)
"""


class Elsewhere:
    """Work whose processor time is told by the process that did it."""

    def __init__(self, found: Table, epsilon: float) -> None:
        self._folder, self._epsilon = tempfile.TemporaryDirectory(), epsilon
        paths = [str(Path(self._folder.name) / name) for name in ("X.npy", "y.npy")]
        lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", found.X, found.X)), 1.0)
        np.save(paths[0], found.X / lengths[:, None])  # it refuses longer rows
        np.save(paths[1], found.y)
        command = [str(environment(NAME)), "-c", SCRIPT, *paths]
        alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # one thread, as everybody has here
        alone.pop("PYTHONPATH", None)
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=alone)

    def __call__(self) -> float:
        """Processor seconds of one fit."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("no pipe")
        print(self._epsilon, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()


def contenders(found: Table, epsilon: float) -> dict[str, Callable[[], Work]]:
    return {NAME: lambda: Elsewhere(found, epsilon)}
