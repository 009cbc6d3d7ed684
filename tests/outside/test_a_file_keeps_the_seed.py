"""A model made with a seed says so for ever: in its file, and when it is loaded again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.outside import LinearModel


@pytest.mark.parametrize("seeded", [True, False])
def test_the_seed_survives_saving(binary: LinearModel, seeded: bool, tmp_path: Path) -> None:
    model = replace(binary, guarantee=replace(binary.guarantee, seeded=seeded))
    model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["guarantee"]["seeded"] is seeded
    again = eq.load(tmp_path / "model.json")
    assert again.guarantee.seeded is seeded
    assert again.guarantee.private is not seeded
