"""Which extra brings a module that a command needs and a plain install does not have."""

from __future__ import annotations

EXTRAS = {
    "dask": "cluster",
    "distributed": "cluster",
    "matplotlib": "studies",
    "narwhals": "tables",
    "opendp": "opendp",
    "pandas": "studies",
    "pyarrow": "tables",
}
"""Studies draw and read tables: they need both matplotlib and pandas."""


def missing_extra(problem: ModuleNotFoundError) -> str:
    """What to install; a module that no extra brings is a bug, and raised."""
    name = (problem.name or "").partition(".")[0]
    if name not in EXTRAS:
        raise problem
    return f'{name}: is not installed, and this command needs it: pip install "equipoise[{EXTRAS[name]}]"'
