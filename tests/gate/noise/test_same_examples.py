"""In `make test` property tests try the same examples, whatever else was imported before them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

PLACE = "_local_constants"
STRANGE = 7_770_077_007


def drawn() -> list[int]:
    """What a property test is given, in order; a fortieth of it would be constants of modules."""
    seen: list[int] = []

    @settings(max_examples=400, derandomize=True, database=None, deadline=None)
    @given(st.integers())
    def asked(number: int) -> None:
        seen.append(number)

    asked()
    return seen


@pytest.fixture
def nothing_gathered() -> None:
    if not isinstance(vars(providers.HypothesisProvider)[PLACE], Constants):
        pytest.skip("drawn afresh in this run")


@pytest.mark.usefixtures("nothing_gathered")
def test_a_module_imported_before_changes_no_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn()
    path = tmp_path / "strange_module_of_a_test.py"
    path.write_text("\n".join(f"NUMBER_{i} = {STRANGE + i}" for i in range(50)))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    assert drawn() == before


@pytest.mark.usefixtures("nothing_gathered")
def test_the_place_we_empty_is_where_hypothesis_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a constant put there is drawn, so a version that looks elsewhere is noticed."""
    fresh: Any = type(providers.CONSTANTS_CACHE)(16)
    monkeypatch.setattr(providers, "CONSTANTS_CACHE", fresh)
    monkeypatch.setattr(providers.HypothesisProvider, PLACE, Constants(integers={STRANGE}))
    assert STRANGE in drawn()
