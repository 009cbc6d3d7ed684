"""scikit-learn's door to the library: thin, one estimator per file, each loaded when it is first asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.estimators.additive.additive_classifier import AdditiveClassifier as AdditiveClassifier
    from equipoise.estimators.additive.additive_regressor import AdditiveRegressor as AdditiveRegressor
    from equipoise.estimators.clipped import count_clipped as count_clipped
    from equipoise.estimators.density.histogram_density import HistogramDensity as HistogramDensity
    from equipoise.estimators.kernel.kernel_classifier import KernelClassifier as KernelClassifier
    from equipoise.estimators.linear.bridge_regression import BridgeRegressor as BridgeRegressor
    from equipoise.estimators.linear.elastic_net import ElasticNet as ElasticNet
    from equipoise.estimators.linear.elastic_net import ElasticNetClassifier as ElasticNetClassifier
    from equipoise.estimators.linear.huber_regression import HuberRegressor as HuberRegressor
    from equipoise.estimators.linear.linear_regression import LinearRegression as LinearRegression
    from equipoise.estimators.linear.logistic_regression import LogisticRegression as LogisticRegression
    from equipoise.estimators.linear.pairwise_ranker import PairwiseRanker as PairwiseRanker
    from equipoise.estimators.linear.support_vector import LinearSVC as LinearSVC
    from equipoise.estimators.multitask.multi_task_regressor import MultiTaskRegressor as MultiTaskRegressor
    from equipoise.estimators.select.feature_selector import FeatureSelector as FeatureSelector
    from equipoise.estimators.select.peeling_selector import PeelingSelector as PeelingSelector
    from equipoise.estimators.simplex.simplex_classifier import SimplexClassifier as SimplexClassifier
    from equipoise.estimators.simplex.simplex_ftrl import SimplexFTRL as SimplexFTRL
    from equipoise.estimators.simplex.simplex_regressor import SimplexRegressor as SimplexRegressor
    from equipoise.estimators.stated.output_perturbed import OutputPerturbed as OutputPerturbed
    from equipoise.estimators.table.encoder import Encoder as Encoder
    from equipoise.estimators.table.private_bounds import PrivateBounds as PrivateBounds
    from equipoise.estimators.table.private_categories import PrivateCategories as PrivateCategories
    from equipoise.estimators.table.private_scaler import PrivateScaler as PrivateScaler

HOMES = {
    "AdditiveClassifier": "equipoise.estimators.additive.additive_classifier",
    "AdditiveRegressor": "equipoise.estimators.additive.additive_regressor",
    "BridgeRegressor": "equipoise.estimators.linear.bridge_regression",
    "ElasticNet": "equipoise.estimators.linear.elastic_net",
    "ElasticNetClassifier": "equipoise.estimators.linear.elastic_net",
    "Encoder": "equipoise.estimators.table.encoder",
    "FeatureSelector": "equipoise.estimators.select.feature_selector",
    "HistogramDensity": "equipoise.estimators.density.histogram_density",
    "HuberRegressor": "equipoise.estimators.linear.huber_regression",
    "KernelClassifier": "equipoise.estimators.kernel.kernel_classifier",
    "LinearRegression": "equipoise.estimators.linear.linear_regression",
    "LinearSVC": "equipoise.estimators.linear.support_vector",
    "LogisticRegression": "equipoise.estimators.linear.logistic_regression",
    "MultiTaskRegressor": "equipoise.estimators.multitask.multi_task_regressor",
    "OutputPerturbed": "equipoise.estimators.stated.output_perturbed",
    "PairwiseRanker": "equipoise.estimators.linear.pairwise_ranker",
    "PeelingSelector": "equipoise.estimators.select.peeling_selector",
    "PrivateBounds": "equipoise.estimators.table.private_bounds",
    "PrivateCategories": "equipoise.estimators.table.private_categories",
    "PrivateScaler": "equipoise.estimators.table.private_scaler",
    "SimplexClassifier": "equipoise.estimators.simplex.simplex_classifier",
    "SimplexFTRL": "equipoise.estimators.simplex.simplex_ftrl",
    "SimplexRegressor": "equipoise.estimators.simplex.simplex_regressor",
    "count_clipped": "equipoise.estimators.clipped",
}
"""Where each lives; `TYPE_CHECKING` above tells the same to type checkers."""


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'equipoise.estimators' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *HOMES})


__all__ = [
    "AdditiveClassifier",
    "AdditiveRegressor",
    "BridgeRegressor",
    "ElasticNet",
    "ElasticNetClassifier",
    "Encoder",
    "FeatureSelector",
    "HistogramDensity",
    "HuberRegressor",
    "KernelClassifier",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MultiTaskRegressor",
    "OutputPerturbed",
    "PairwiseRanker",
    "PeelingSelector",
    "PrivateBounds",
    "PrivateCategories",
    "PrivateScaler",
    "SimplexClassifier",
    "SimplexFTRL",
    "SimplexRegressor",
    "count_clipped",
]
