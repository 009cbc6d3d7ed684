"""What the how-to pages show runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "how-to"


@pytest.mark.parametrize("name", ["schema", "choosing-bounds", "wide-data"])
def test_the_examples_of_a_page_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (PAGES / f"{name}.md").read_text(encoding="utf-8"), flags=re.S)
    assert blocks
    pasted: dict[str, object] = {}  # one after the other, as a reader would
    for block in blocks:
        exec(compile(block, f"{name}.md", "exec"), pasted)


def test_the_schema_of_the_reference_page_is_one() -> None:
    from equipoise.schema.files import parse
    from equipoise.schema.plain import from_plain

    page = (PAGES.parent / "reference" / "schema.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.S)
    assert from_plain(parse(block.encode("utf-8"))).features == ("age", "race", "smoker")
