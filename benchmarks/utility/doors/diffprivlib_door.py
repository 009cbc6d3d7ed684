"""Fits diffprivlib's models for the comparison: one JSON request a line, one JSON answer a line.

This file runs in the environment of diffprivlib.txt and imports nothing of Equipoise.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
from diffprivlib import models  # type: ignore[import-not-found]  # lives in the peer's environment only


def classify(request: dict[str, Any], tables: Any) -> Any:
    model = models.LogisticRegression(epsilon=request["epsilon"], data_norm=1.0)
    model.fit(tables["X"], tables["y"])
    chances = np.zeros((len(tables["X_test"]), request["classes"]))
    chances[:, model.classes_.astype(int)] = model.predict_proba(tables["X_test"])
    return chances


def regress(request: dict[str, Any], tables: Any) -> Any:
    bounds = (np.full(tables["X"].shape[1], -1.0), np.full(tables["X"].shape[1], 1.0))
    model = models.LinearRegression(
        epsilon=request["epsilon"], bounds_X=bounds, bounds_y=(request["low"], request["high"])
    )
    return model.fit(tables["X"], tables["y"]).predict(tables["X_test"])


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = (classify if request["classes"] else regress)(request, np.load(request["tables"]))
            np.save(request["answers"], answer)
            reply = {}
        except Exception as error:  # noqa: BLE001  told to whoever asked
            reply = {"raised": type(error).__name__}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
