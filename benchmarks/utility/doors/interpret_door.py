"""Fits InterpretML's private boosted models for the comparison: one JSON request a line, one JSON answer a line.

This file runs in the environment of interpret.txt and imports nothing of Equipoise.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
from interpret.privacy import (  # type: ignore[import-not-found]  # lives in the peer's environment only
    DPExplainableBoostingClassifier,
    DPExplainableBoostingRegressor,
)


def answers(request: dict[str, Any], tables: Any) -> Any:
    """Its defaults, and the public bounds; categories are declared as such."""
    kinds = ["nominal" if names else "continuous" for names in request["nominal"]]
    X, X_test = (as_asked(tables[name], kinds) for name in ("X", "X_test"))
    bounds = {place: tuple(pair) for place, pair in enumerate(request["bounds"]) if kinds[place] == "continuous"}
    shared = {
        "epsilon": request["epsilon"], "delta": request["delta"], "feature_types": kinds, "privacy_bounds": bounds,
        "n_jobs": 1,
    }  # fmt: skip
    if request["classes"]:
        model = DPExplainableBoostingClassifier(**shared).fit(X, tables["y"])
        chances = np.zeros((len(X_test), request["classes"]))
        chances[:, model.classes_.astype(int)] = model.predict_proba(X_test)
        return chances
    limits = {"privacy_target_min": request["low"], "privacy_target_max": request["high"]}
    return DPExplainableBoostingRegressor(**shared, **limits).fit(X, tables["y"]).predict(X_test)


def as_asked(values: Any, kinds: list[str]) -> Any:
    """Numbers, or a frame whose categories are words."""
    import pandas as pd

    if "nominal" not in kinds:
        return values
    columns = {
        str(place): [f"c{int(value)}" for value in values[:, place]] if kind == "nominal" else values[:, place]
        for place, kind in enumerate(kinds)
    }
    return pd.DataFrame(columns)


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        request = json.loads(line)
        try:
            np.save(request["answers"], answers(request, np.load(request["tables"])))
            reply = {}
        except Exception as error:  # noqa: BLE001  told to whoever asked
            reply = {"raised": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
