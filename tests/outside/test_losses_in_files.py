"""A loss of several classes in a file: read as it was written, refused where it does not go with its model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.outside.test_files import edit

from equipoise.errors import UnreadableFile
from equipoise.outside.files import load, save
from equipoise.outside.model import LinearModel
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.losses import ClippedSoftmax


def walked_on(guarantee: Guarantee) -> LinearModel:
    """Three classes, by noisy gradients along shortened slopes."""
    loss, told = ClippedSoftmax(3, 0.65), replace(guarantee, mechanism="noisy-gradient")
    return LinearModel("classifier", "Any", np.ones((3, 2)), np.zeros(3), (0, 1, 2), loss.traits.link, loss, told)


def test_a_loss_of_several_classes_is_read_as_it_was_written(guarantee: Guarantee, tmp_path: Path) -> None:
    """Whole numbers stay whole: a file that is loaded and saved again is the same file."""
    save(walked_on(guarantee), tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert isinstance(again, LinearModel)
    assert isinstance(again.loss, ClippedSoftmax)
    assert isinstance(again.loss.classes, int)
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (["loss", "classes"], 0),
        (["loss", "classes"], 2),
        (["loss", "classes"], 3.5),
        (["loss", "classes"], 1e30),
        (["loss", "cap"], 0.2),
        (["loss"], {"name": "clipped-softmax", "classes": 3}),
        (["loss"], {"name": "clipped-softmax", "cap": 0.5}),
        (["link"], "capped-softmax"),
        (["guarantee", "mechanism"], "objective"),
        (["guarantee", "mechanism"], "output"),
    ],
    ids=str,
)
def test_a_loss_of_several_classes_must_go_with_its_model(
    keys: list[str], value: Any, guarantee: Guarantee, tmp_path: Path
) -> None:
    save(walked_on(guarantee), tmp_path / "m.json")
    edit(tmp_path / "m.json", *keys, value=value)
    with pytest.raises(UnreadableFile) as raised:
        load(tmp_path / "m.json")
    assert "\n" not in str(raised.value)
