"""The site misses nothing: every public name is in the reference, and what the new pages show runs as it is printed.

`make docs` itself, with warnings as errors and the examples executed, is part of CI.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import re
from pathlib import Path
from typing import Any

import pytest

from equipoise.outside.card_words import strength

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MODULES = ("", ".answering", ".audit", ".calibration", ".not_private", ".tuning")
SUMMARY = re.compile(r"\.\. currentmodule:: (?P<module>\S+)|:toctree: generated\n\n(?P<names>(?:   \w+\n)+)")


def listed(page: Path) -> list[str]:
    """Full names, in the page's order."""
    module, names = "", []
    for found in SUMMARY.finditer(page.read_text(encoding="utf-8")):
        module = found["module"] or module
        names += [f"{module}.{name}" for name in (found["names"] or "").split()]
    return names


def test_the_reference_lists_every_public_name_once() -> None:
    modules = [importlib.import_module(f"equipoise{each}") for each in MODULES]
    public = [f"{module.__name__}.{name}" for module in modules for name in module.__all__]
    assert sorted(name for page in (DOCS / "api").glob("*.md") for name in listed(page)) == sorted(public)


@pytest.mark.parametrize("name", ["choosing-epsilon", "several-rows", "from-diffprivlib"])
def test_the_examples_of_a_page_run(name: str) -> None:
    blocks = re.findall(
        r"```python\n(.*?)```", (DOCS / "how-to" / f"{name}.md").read_text(encoding="utf-8"), flags=re.S
    )
    assert blocks
    for block in blocks:
        exec(compile(block, f"{name}.md", "exec"), {})


def test_the_words_for_epsilon_are_those_of_the_card() -> None:
    """The table of the how-to: factor and guess are not below the truth, and the word is the card's."""
    page = (DOCS / "how-to" / "choosing-epsilon.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| ([\d.,]+) \| ([\d.]+) % \| ([\w ]+) \|$", page, flags=re.M)
    assert len(rows) >= 7
    for epsilon, factor, percent, word in rows:
        odds = math.exp(float(epsilon))
        guess = odds / (1 + odds)
        assert odds <= float(factor.replace(",", "")) <= 1.01 * odds
        assert guess <= float(percent) / 100 <= guess + 0.001
        assert word == strength(guess)[0]


def test_examples_are_short_and_read_in_order() -> None:
    programs = sorted((ROOT / "examples").glob("*.py"))
    assert len(programs) >= 6
    for program in programs:
        text = program.read_text(encoding="utf-8")
        assert re.match(r"plot_\d+_", program.name), "sphinx-gallery runs what starts with plot_"
        assert text.count("\n") <= 80, program.name


def test_ci_builds_the_site() -> None:
    assert "make docs" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "-W --keep-going" in (ROOT / "Makefile").read_text(encoding="utf-8")


def extension(name: str) -> Any:
    found = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("e^ε·q + r^(p−2)-strongly", "e<ε>·q + r<p−2>-strongly"),
        ("e^(−λe^(ε/2)), 10^±30, ‖w‖_p^p", "e<−λe<ε/2>>, 10<±30>, ‖w‖[p]<p>"),
        ("w_j, Σ_{i<n} x, max_i f, δ_numeric", "w[j], Σ[i<n] x, max[i] f, δ[numeric]"),
        ("row_norm, p_value, X_val, coef_, n_jobs", "row_norm, p_value, X_val, coef_, n_jobs"),
    ],
)
def test_formulas_are_raised_and_lowered_and_names_are_not(text: str, shown: str) -> None:
    def told(node: Any) -> str:
        inner = "".join(map(told, node.children)) if node.children else node.astext()
        return {"superscript": f"<{inner}>", "subscript": f"[{inner}]"}.get(node.tagname, inner)

    assert "".join(map(told, extension("raised_and_lowered").split(text))) == shown


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[proofs](../proofs)", "[proofs](../sections/proofs.md)"),
        ("[noise](noise.md#law)", "[noise](noise.md#law)"),
        ("[the code](../../src/equipoise/errors.py)", "the code (`src/equipoise/errors.py`)"),
        ("[`errors.py`](../../src/equipoise/errors.py)", "`errors.py`"),
        ("[there](https://example.org/a.md)", "[there](https://example.org/a.md)"),
    ],
)
def test_links_of_the_forge_lead_somewhere_on_the_site(link: str, shown: str) -> None:
    links = extension("repository_links")
    assert links.MARKDOWN.sub(lambda found: links._rewritten(found, DOCS / "proofs", DOCS), link) == shown
