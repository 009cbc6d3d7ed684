"""Places for a SQL ledger: a SQLite file, and a schema of its own on a PostgreSQL server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

SERVER = Path(__file__).with_name("postgres.py")
SPENDER = Path(__file__).with_name("spender.py")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[sa.URL]:
    with subprocess.Popen([sys.executable, str(SERVER)], stdin=-1, stdout=-1, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        assert url, "PostgreSQL's server did not start: run scripts/install-postgres"
        yield sa.make_url(url)
        server.stdin.close()


@pytest.fixture
def postgres(postgres_server: sa.URL) -> str:
    """The URL of an empty schema: much quicker to make than a database, and as good as one."""
    name = f"test_{uuid4().hex}"
    with sa.create_engine(postgres_server, poolclass=sa.NullPool).begin() as connection:
        connection.execute(sa.schema.CreateSchema(name))
    return postgres_server.update_query_dict({"options": f"-csearch_path={name}"}).render_as_string()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a SQL ledger may live."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    return str(request.getfixturevalue("postgres"))


class Spender:
    """The other end of spender.py."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._jobs, self._lines = process.stdin, process.stdout

    def start(
        self, place: str, epsilon: float, children: int = 1, pause: str = "never", limit: float | None = None
    ) -> None:
        job = {"place": place, "epsilon": epsilon, "children": children, "pause": pause, "limit": limit}
        self._jobs.write(json.dumps(job) + "\n")
        self._jobs.flush()

    def hear_until(self, word: str) -> list[list[str]]:
        """What the children said, up to the first line that begins with `word`."""
        heard: list[list[str]] = []
        for line in self._lines:
            heard.append(line.split())
            if heard[-1][0] == word:
                return heard
        raise AssertionError(f"spender ended before it said {word!r}")


@pytest.fixture(scope="module")
def spender() -> Iterator[Spender]:
    with subprocess.Popen([sys.executable, str(SPENDER)], stdin=-1, stdout=-1, text=True) as process:
        yield Spender(process)
        assert process.stdin is not None
        process.stdin.close()
