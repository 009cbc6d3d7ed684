"""diffprivlib in its own environment: it fits there and says how long that took, by either clock."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.speed.problem import Table, Work
from benchmarks.utility.doors.door import environment
from equipoise.inside.threads import allowed

NAME = "diffprivlib"
SCRIPT = """
import sys, time, warnings
import numpy as np
from diffprivlib import models
warnings.simplefilter("ignore")
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
for line in sys.stdin:
    start = time.process_time(), time.perf_counter()
    models.LogisticRegression(epsilon=float(line), data_norm=1.0).fit(X, y)
    print(time.process_time() - start[0], time.perf_counter() - start[1], flush=True)
"""


class Elsewhere:
    """Work whose time is told by the process that did it, with as many threads as everybody has when it is prepared."""

    def __init__(self, found: Table, epsilon: float) -> None:
        self._folder, self._epsilon = tempfile.TemporaryDirectory(), epsilon
        paths = [str(Path(self._folder.name) / name) for name in ("X.npy", "y.npy")]
        lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", found.X, found.X)), 1.0)
        np.save(paths[0], found.X / lengths[:, None])  # it refuses longer rows
        np.save(paths[1], found.y)
        command = [str(environment(NAME)), "-c", SCRIPT, *paths]
        threads = str(allowed())
        alone = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        alone.pop("PYTHONPATH", None)
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=alone)

    def __call__(self) -> tuple[float, float]:
        """Seconds of one fit: of the processor, and by the clock on the wall."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("no pipe")
        print(self._epsilon, file=self._process.stdin, flush=True)
        processor, wall = self._process.stdout.readline().split()
        return float(processor), float(wall)

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()


def contenders(found: Table, epsilon: float) -> dict[str, Callable[[], Work]]:
    return {NAME: lambda: Elsewhere(found, epsilon)}
