"""The how-to page runs as it is printed, and draws its picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "additive.md"


def test_the_page_runs_and_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.S)
    exec(compile(code, str(PAGE), "exec"), {})
    assert (tmp_path / "additive.png").stat().st_size > 5000
    assert "age" in capsys.readouterr().out
