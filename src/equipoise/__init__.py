"""Equipoise: learn from sensitive records, release only what differential privacy allows."""

from equipoise.errors import (
    BoundsRequired,
    BudgetExhausted,
    EquipoiseError,
    InvalidInput,
    LedgerFailure,
    MechanismRefused,
    NotCertified,
    UnreadableFile,
)
from equipoise.estimators import (
    HistogramDensity,
    HuberRegressor,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    count_clipped,
)
from equipoise.ledger import Ledger, SQLLedger
from equipoise.outside import LinearModel, load
from equipoise.theory.guarantees import Budget, Guarantee

__version__ = "0.1.0"

__all__ = [
    "BoundsRequired",
    "Budget",
    "BudgetExhausted",
    "EquipoiseError",
    "Guarantee",
    "HistogramDensity",
    "HuberRegressor",
    "InvalidInput",
    "Ledger",
    "LedgerFailure",
    "LinearModel",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MechanismRefused",
    "NotCertified",
    "SQLLedger",
    "UnreadableFile",
    "count_clipped",
    "load",
]
