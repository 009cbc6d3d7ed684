"""Fits diffprivlib's models for an auditor in another environment: one JSON request a line, one JSON answer a line.

This file runs in the environment of requirements-diffprivlib.txt and imports nothing of Equipoise.  It adds no
randomness of its own: every fit draws from the package's own default source.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import diffprivlib  # type: ignore[import-not-found]  # lives in the peer's environment only
import numpy as np
import sklearn
from diffprivlib import BudgetAccountant, mechanisms, models
from sklearn.model_selection import cross_val_score


def build(request: dict[str, Any], **more: Any) -> Any:
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in request["settings"].items()}
    return getattr(models, request["estimator"])(**settings, **more)


def fitted(request: dict[str, Any]) -> Any:
    return build(request).fit(np.array(request["X"], dtype=float), np.array(request["y"]))


def weights(request: dict[str, Any]) -> Any:
    """The released coefficients, and the intercept if one was fitted."""
    model = fitted(request)
    values = np.ravel(model.coef_).tolist()
    return [*values, *np.ravel(model.intercept_).tolist()] if model.fit_intercept else values


def squares(request: dict[str, Any]) -> Any:
    """The diagonal of X'X that a fitted LinearRegression carries."""
    return np.diag(fitted(request)._obj_coefs[2]).tolist()


def budget(request: dict[str, Any]) -> Any:
    """What the mechanisms that one fit builds are given, added up."""
    given: list[float] = []
    original = mechanisms.base.DPMechanism.__init__

    def noted(self: Any, *, epsilon: float, **rest: Any) -> None:
        given.append(float(epsilon))
        original(self, epsilon=epsilon, **rest)

    mechanisms.base.DPMechanism.__init__ = noted
    try:
        fitted(request)
    finally:
        mechanisms.base.DPMechanism.__init__ = original
    return sum(given)


def cross_validated(request: dict[str, Any]) -> Any:
    """Fits that ran, and what the capped accountant says was spent."""
    accountant = BudgetAccountant(epsilon=request["cap"], delta=0.0)
    model = build(request, accountant=accountant)
    scores = cross_val_score(model, np.array(request["X"], dtype=float), np.array(request["y"]), cv=request["folds"])
    return [int(np.isfinite(scores).sum()), float(accountant.total()[0])]


def versions(_: dict[str, Any]) -> Any:
    return [diffprivlib.__version__, sklearn.__version__]


ANSWERS = {
    "weights": weights,
    "squares": squares,
    "budget": budget,
    "cross_validated": cross_validated,
    "versions": versions,
}


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"answer": ANSWERS[request["ask"]](request)}
        except Exception as error:  # noqa: BLE001  the auditor counts a refusal as an output
            answer = {"raised": type(error).__name__}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
