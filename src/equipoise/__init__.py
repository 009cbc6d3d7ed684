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
    Encoder,
    HistogramDensity,
    HuberRegressor,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    PrivateBounds,
)
from equipoise.estimators.table.evaluate import evaluate
from equipoise.estimators.table.fit import fit
from equipoise.ledger import Ledger, SQLLedger
from equipoise.outside import LinearModel
from equipoise.outside.table.files import load
from equipoise.outside.table.model import TableModel
from equipoise.schema import Schema
from equipoise.theory.guarantees import Budget, Guarantee

__version__ = "0.1.0"

__all__ = [
    "BoundsRequired",
    "Budget",
    "BudgetExhausted",
    "Encoder",
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
    "PrivateBounds",
    "SQLLedger",
    "Schema",
    "TableModel",
    "UnreadableFile",
    "evaluate",
    "fit",
    "load",
]
