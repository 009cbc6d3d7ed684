"""Choosing settings: privately in several ways, or for studies by an oracle that is not private."""

from equipoise.estimators.budget_split_search import BudgetSplitSearch
from equipoise.estimators.data_split_search import DataSplitSearch
from equipoise.estimators.oracle_search import OracleSearch
from equipoise.estimators.random_search import RandomSearch
from equipoise.estimators.random_stop_search import RandomStopSearch
from equipoise.estimators.stability_search import NoisyChoice, StabilitySearch
from equipoise.gate.procedures import LipschitzScore, Procedure, Rows, StatedScore, check_statement
from equipoise.gate.validate import tune
from equipoise.theory.accounting.selection import PoissonStop, TruncatedNegativeBinomial
from equipoise.theory.guarantees import Concentrated, Gaussian, Pure, Renyi
from equipoise.theory.scores import Score

__all__ = [
    "BudgetSplitSearch",
    "Concentrated",
    "DataSplitSearch",
    "Gaussian",
    "LipschitzScore",
    "NoisyChoice",
    "OracleSearch",
    "PoissonStop",
    "Procedure",
    "Pure",
    "RandomSearch",
    "RandomStopSearch",
    "Renyi",
    "Rows",
    "Score",
    "StabilitySearch",
    "StatedScore",
    "TruncatedNegativeBinomial",
    "check_statement",
    "tune",
]
