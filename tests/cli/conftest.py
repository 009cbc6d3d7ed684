"""The room that commands are tried in."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.clinic import write

from equipoise.ledger import SQLLedger


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with a table, its schema and a ledger of ε = 3."""
    write(tmp_path)
    SQLLedger(tmp_path / "privacy.db", 3.0, 1e-5)
    return tmp_path
