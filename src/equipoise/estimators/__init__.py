"""scikit-learn's door to the library: thin, one estimator per file."""

from equipoise.estimators.histogram_density import HistogramDensity
from equipoise.estimators.huber_regression import HuberRegressor
from equipoise.estimators.linear_regression import LinearRegression
from equipoise.estimators.logistic_regression import LogisticRegression
from equipoise.estimators.support_vector import LinearSVC

__all__ = ["HistogramDensity", "HuberRegressor", "LinearRegression", "LinearSVC", "LogisticRegression"]
