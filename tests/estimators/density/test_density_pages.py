"""The how-to pages on densities and calibration run as they are printed, and draw their pictures."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

PAGES = Path(__file__).parents[3] / "docs" / "how-to"


@pytest.mark.parametrize("name", ["density", "calibration"])
def test_the_page_runs_and_draws_its_picture(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    scope: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.S):
        exec(compile(block, name, "exec"), scope)
    plt.close("all")
    assert capsys.readouterr().out
    assert (tmp_path / f"{name}.png").stat().st_size > 5000
    assert (PAGES / "figures" / f"{name}.png").is_file()
    assert f"figures/{name}.png" in page
