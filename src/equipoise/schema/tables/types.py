"""What a table says of a column as a whole, before any cell of it is looked at."""

TYPES = ("number", "text", "boolean", "date", "unknown", "other", "nested")
"""A CSV file has no types: all its columns are unknown."""
