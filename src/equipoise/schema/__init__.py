"""What is public about a table: its columns and their bounds, the target, the person; and the map from rows to vectors.

Pure: nothing here draws noise, and what happens to one row is decided by that row and public facts alone.
"""

from equipoise.schema.columns import Boolean, Category, Column, Date, Ignored, Number, Ordinal, Text
from equipoise.schema.people import Classes, Person, Range, Target
from equipoise.schema.schema import Schema

__all__ = [
    "Boolean",
    "Category",
    "Classes",
    "Column",
    "Date",
    "Ignored",
    "Number",
    "Ordinal",
    "Person",
    "Range",
    "Schema",
    "Target",
    "Text",
]
