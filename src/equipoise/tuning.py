"""Choosing settings: privately in several ways, or for studies by an oracle that is not private."""

from equipoise.audit.frozen.statements import check_statement
from equipoise.estimators.search.budget_split_search import BudgetSplitSearch
from equipoise.estimators.search.data_split_search import DataSplitSearch
from equipoise.estimators.search.oracle_search import OracleSearch
from equipoise.estimators.search.random_search import RandomSearch
from equipoise.estimators.search.random_stop_search import RandomStopSearch
from equipoise.estimators.search.stability_search import NoisyChoice, StabilitySearch
from equipoise.gate.choices.procedures import LipschitzScore, Procedure, Rows, StatedScore
from equipoise.gate.choices.validate import tune
from equipoise.theory.accounting.selection import PoissonStop, TruncatedNegativeBinomial
from equipoise.theory.guarantees import Concentrated, Gaussian, Pure, Renyi
from equipoise.theory.tuning.scores import Score

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
