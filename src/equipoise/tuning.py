"""Choosing settings: privately by splitting the table, or for studies by an oracle that is not private."""

from equipoise.estimators.tuned import DataSplitSearch, OracleSearch

__all__ = ["DataSplitSearch", "OracleSearch"]
