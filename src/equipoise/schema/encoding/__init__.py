"""The stateless maps from the rows of a table to numbers within public bounds, one file for each kind of column."""

from equipoise.schema.encoding.additive import AdditiveEncoding
from equipoise.schema.encoding.encoding import Encoding

__all__ = ["AdditiveEncoding", "Encoding"]
