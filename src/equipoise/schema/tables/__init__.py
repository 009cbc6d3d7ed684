"""Tables of any make, read into plain columns: CSV, Parquet, pandas, polars, pyarrow, or a dictionary of lists."""

from equipoise.schema.tables.reading import column_types, read_table
from equipoise.schema.tables.table import Table

__all__ = ["Table", "column_types", "read_table"]
