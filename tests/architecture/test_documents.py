"""The documents hold together: links lead somewhere, decisions say where they stand, the index misses nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
MADE = ("gallery/index.rst",)
"""What `make docs` makes from the examples; it fails where a link leads nowhere."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    ours = [target for target in targets if "://" not in target and target not in MADE]
    assert not [target for target in ours if not (page.parent / target).exists()]


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.name)
def test_a_decision_says_where_it_stands_and_what_lost(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.name[:4]}"), "starts with its number"
    assert re.search(r"\*\*Status\.\*\* (Accepted|Superseded)", text), "states its status"
    assert re.search(r"[Aa]lternatives", text), "names what was not chosen"


def test_decisions_have_numbers_of_their_own() -> None:
    numbers = [page.name[:4] for page in DECISIONS]
    assert len(set(numbers)) == len(numbers)


def test_the_index_names_every_page_but_proofs_and_decisions() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    folders = [ROOT / "docs" / name for name in ("how-to", "reference", "explanation")]
    pages = [page.relative_to(ROOT / "docs").as_posix() for folder in folders for page in folder.glob("*.md")]
    assert not [page for page in pages if f"]({page})" not in index]


def test_the_errata_cover_all_five_papers_and_point_to_proofs() -> None:
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    for name in ("Wu, Fredrikson", "Jain, Thakurta", "Chaudhuri, Vinterbo", "Watson, Rozemberczki", "Dwork, Feldman"):
        assert f"## {name}" in text
    assert text.count("](proofs/") >= 30


@pytest.mark.parametrize("folder", ["tutorial", "how-to", "explanation", "proofs", "reference"])
def test_every_page_has_its_place_on_the_site(folder: str) -> None:
    """The site's build stops where one has none, and takes longer to say so."""
    listed = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("sections/*.md"))
    listed += (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = [f"{folder}/{page.stem}" for page in (ROOT / "docs" / folder).glob("*.md")]
    assert not [page for page in pages if not re.search(rf"{page}(\.md)?\b", listed)]
