"""A PostgreSQL server of one's own: prints its URL, runs until stdin is closed, leaves nothing behind.

Run as a script by the fixtures of the ledger's tests; if they die, stdin closes and so does the server.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

INSTALL = Path(__file__).parents[2] / "scripts" / "install-postgres"
STARTUP_SECONDS = 60.0


def programs() -> Path:
    """The folder of initdb and postgres, installed first if need be."""
    folder = _find()
    if folder is None:
        subprocess.run([str(INSTALL)], stdout=sys.stderr, check=False)
        folder = _find()
    if folder is None:
        sys.exit(f"PostgreSQL's server is missing: run {INSTALL.name}, or install the package `postgresql`")
    return folder


def _find() -> Path | None:
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found = str(packaged[-1]) if packaged else shutil.which("initdb")
    return Path(found).parent if found else None


def _account() -> str | None:
    """PostgreSQL refuses to run as root; Debian's package brings an account for it."""
    return "postgres" if os.getuid() == 0 else None


@contextmanager
def server() -> Iterator[str]:
    """The URL of a fresh server that listens on a socket in its own folder."""
    binaries = programs()
    folder = Path(tempfile.mkdtemp(prefix="equipoise-pg-"))
    account = _account()
    if account is not None:
        shutil.chown(folder, account)
    data = str(folder / "data")
    choices = ["-U", "equipoise", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
    process: subprocess.Popen[bytes] | None = None
    try:
        command = [str(binaries / "initdb"), "-D", data, *choices]
        subprocess.run(command, user=account, cwd=folder, stdout=subprocess.DEVNULL, check=True)
        # Without fsync only a power cut can lose a commit; the tests kill clients, not the machine.
        settings = ["-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=16MB"]
        command = [str(binaries / "postgres"), "-D", data, "-k", str(folder), *settings]
        process = subprocess.Popen(command, user=account, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True)
        _wait_until_ready(folder, process)
        yield f"postgresql+psycopg://equipoise@/postgres?host={folder}"
    finally:
        if process is not None:
            process.send_signal(signal.SIGQUIT)  # at once: nothing here needs to last
            process.wait(timeout=STARTUP_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_ready(folder: Path, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTUP_SECONDS
    while True:
        try:
            psycopg.connect(host=str(folder), user="equipoise", dbname="postgres").close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit("PostgreSQL's server did not start")
            time.sleep(0.05)
        else:
            return


if __name__ == "__main__":
    with server() as url:
        print(url, flush=True)
        sys.stdin.read()
