"""Additive models: one shape per column, from public facts alone."""

from equipoise.theory.additive.basis import Basis, Pair, Term
from equipoise.theory.additive.columns import Categories, Column, Numbers, Weights
from equipoise.theory.additive.encoding import Encoding

__all__ = ["Basis", "Categories", "Column", "Encoding", "Numbers", "Pair", "Term", "Weights"]
