"""The stateless map from the rows of a table to vectors of bounded norm, one file for each kind of column."""

from equipoise.schema.encoding.encoding import Encoding

__all__ = ["Encoding"]
