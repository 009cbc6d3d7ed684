"""Equipoise: learn from sensitive records, release only what differential privacy allows.

Names are looked up when they are first used, so that `equipoise --help` does not wait for scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from equipoise.errors import (
    BoundsRequired,
    BudgetExhausted,
    EquipoiseError,
    InvalidInput,
    LedgerFailure,
    MechanismRefused,
    NotCertified,
    PrivacyWarning,
    UnreadableFile,
    WorkerFailure,
)

if TYPE_CHECKING:
    from equipoise.estimators import AdditiveClassifier as AdditiveClassifier
    from equipoise.estimators import AdditiveRegressor as AdditiveRegressor
    from equipoise.estimators import BridgeRegressor as BridgeRegressor
    from equipoise.estimators import ElasticNet as ElasticNet
    from equipoise.estimators import ElasticNetClassifier as ElasticNetClassifier
    from equipoise.estimators import Encoder as Encoder
    from equipoise.estimators import FeatureSelector as FeatureSelector
    from equipoise.estimators import HistogramDensity as HistogramDensity
    from equipoise.estimators import HuberRegressor as HuberRegressor
    from equipoise.estimators import KernelClassifier as KernelClassifier
    from equipoise.estimators import LinearRegression as LinearRegression
    from equipoise.estimators import LinearSVC as LinearSVC
    from equipoise.estimators import LogisticRegression as LogisticRegression
    from equipoise.estimators import MultiTaskRegressor as MultiTaskRegressor
    from equipoise.estimators import OutputPerturbed as OutputPerturbed
    from equipoise.estimators import PairwiseRanker as PairwiseRanker
    from equipoise.estimators import PeelingSelector as PeelingSelector
    from equipoise.estimators import PrivateBounds as PrivateBounds
    from equipoise.estimators import PrivateCategories as PrivateCategories
    from equipoise.estimators import PrivateScaler as PrivateScaler
    from equipoise.estimators import SimplexClassifier as SimplexClassifier
    from equipoise.estimators import SimplexFTRL as SimplexFTRL
    from equipoise.estimators import SimplexRegressor as SimplexRegressor
    from equipoise.estimators import count_clipped as count_clipped
    from equipoise.estimators.table.evaluate import evaluate as evaluate
    from equipoise.estimators.table.fit import fit as fit
    from equipoise.ledger import Ledger as Ledger
    from equipoise.ledger import SQLLedger as SQLLedger
    from equipoise.outside import LinearModel as LinearModel
    from equipoise.outside.simplex.model import SimplexModel as SimplexModel
    from equipoise.outside.table.files import load as load
    from equipoise.outside.table.model import TableModel as TableModel
    from equipoise.schema import Schema as Schema
    from equipoise.theory.guarantees import Budget as Budget
    from equipoise.theory.guarantees import Guarantee as Guarantee

__version__ = "0.1.0"

_HOMES = {
    "AdditiveClassifier": "equipoise.estimators",
    "AdditiveRegressor": "equipoise.estimators",
    "BridgeRegressor": "equipoise.estimators",
    "ElasticNet": "equipoise.estimators",
    "ElasticNetClassifier": "equipoise.estimators",
    "Encoder": "equipoise.estimators",
    "FeatureSelector": "equipoise.estimators",
    "PeelingSelector": "equipoise.estimators",
    "HistogramDensity": "equipoise.estimators",
    "HuberRegressor": "equipoise.estimators",
    "KernelClassifier": "equipoise.estimators",
    "LinearRegression": "equipoise.estimators",
    "LinearSVC": "equipoise.estimators",
    "LogisticRegression": "equipoise.estimators",
    "MultiTaskRegressor": "equipoise.estimators",
    "OutputPerturbed": "equipoise.estimators",
    "PairwiseRanker": "equipoise.estimators",
    "PrivateBounds": "equipoise.estimators",
    "PrivateCategories": "equipoise.estimators",
    "PrivateScaler": "equipoise.estimators",
    "SimplexClassifier": "equipoise.estimators",
    "SimplexFTRL": "equipoise.estimators",
    "SimplexRegressor": "equipoise.estimators",
    "count_clipped": "equipoise.estimators",
    "Ledger": "equipoise.ledger",
    "SQLLedger": "equipoise.ledger",
    "LinearModel": "equipoise.outside",
    "SimplexModel": "equipoise.outside.simplex.model",
    "TableModel": "equipoise.outside.table.model",
    "evaluate": "equipoise.estimators.table.evaluate",
    "fit": "equipoise.estimators.table.fit",
    "load": "equipoise.outside.table.files",
    "Schema": "equipoise.schema",
    "Budget": "equipoise.theory.guarantees",
    "Guarantee": "equipoise.theory.guarantees",
}
"""Where each public name lives; `TYPE_CHECKING` above tells the same to type checkers."""

_MODULES = ("answering", "audit", "calibration", "not_private", "stability", "tuning")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(f"equipoise.{name}")
    else:
        raise AttributeError(f"module 'equipoise' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_MODULES})


__all__ = [
    "AdditiveClassifier",
    "AdditiveRegressor",
    "BoundsRequired",
    "BridgeRegressor",
    "Budget",
    "BudgetExhausted",
    "ElasticNet",
    "ElasticNetClassifier",
    "Encoder",
    "EquipoiseError",
    "FeatureSelector",
    "Guarantee",
    "HistogramDensity",
    "HuberRegressor",
    "InvalidInput",
    "KernelClassifier",
    "Ledger",
    "LedgerFailure",
    "LinearModel",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MechanismRefused",
    "MultiTaskRegressor",
    "NotCertified",
    "OutputPerturbed",
    "PairwiseRanker",
    "PeelingSelector",
    "PrivacyWarning",
    "PrivateBounds",
    "PrivateCategories",
    "PrivateScaler",
    "SQLLedger",
    "Schema",
    "SimplexClassifier",
    "SimplexFTRL",
    "SimplexModel",
    "SimplexRegressor",
    "TableModel",
    "UnreadableFile",
    "WorkerFailure",
    "count_clipped",
    "evaluate",
    "fit",
    "load",
]
