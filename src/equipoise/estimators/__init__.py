"""scikit-learn's door to the library: thin, one estimator per file."""

from equipoise.estimators.additive.additive_classifier import AdditiveClassifier
from equipoise.estimators.additive.additive_regressor import AdditiveRegressor
from equipoise.estimators.clipped import count_clipped
from equipoise.estimators.density.histogram_density import HistogramDensity
from equipoise.estimators.kernel.kernel_classifier import KernelClassifier
from equipoise.estimators.linear.bridge_regression import BridgeRegressor
from equipoise.estimators.linear.elastic_net import ElasticNet, ElasticNetClassifier
from equipoise.estimators.linear.huber_regression import HuberRegressor
from equipoise.estimators.linear.linear_regression import LinearRegression
from equipoise.estimators.linear.logistic_regression import LogisticRegression
from equipoise.estimators.linear.pairwise_ranker import PairwiseRanker
from equipoise.estimators.linear.support_vector import LinearSVC
from equipoise.estimators.multitask.multi_task_regressor import MultiTaskRegressor
from equipoise.estimators.select.feature_selector import FeatureSelector
from equipoise.estimators.select.peeling_selector import PeelingSelector
from equipoise.estimators.simplex.simplex_classifier import SimplexClassifier
from equipoise.estimators.simplex.simplex_ftrl import SimplexFTRL
from equipoise.estimators.simplex.simplex_regressor import SimplexRegressor
from equipoise.estimators.stated.output_perturbed import OutputPerturbed
from equipoise.estimators.table.encoder import Encoder
from equipoise.estimators.table.private_bounds import PrivateBounds
from equipoise.estimators.table.private_categories import PrivateCategories
from equipoise.estimators.table.private_scaler import PrivateScaler

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
