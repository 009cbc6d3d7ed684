"""Very many coefficients in a file: the same doubles back, in little memory, and a damaged file is one clear line."""

from __future__ import annotations

import base64
import json
import tracemalloc
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import UnreadableFile
from equipoise.outside import LinearModel, load, packed, save
from equipoise.outside.uncertainty import MINIMISER, Uncertainty
from equipoise.theory.noise import Law

Array = npt.NDArray[np.float64]
MANY = 200_000


def wide(model: LinearModel, columns: int = MANY) -> LinearModel:
    """The same model with very many noisy coefficients."""
    coef = np.random.default_rng(0).normal(size=(1, columns))
    estimate = np.append(coef, [[0.5]], axis=1)
    known = Uncertainty(estimate, np.full(columns + 1, 0.25), Law.GAUSSIAN, MINIMISER)
    return replace(model, coef=coef, feature_names=None, uncertainty=known)


def test_a_wide_model_comes_back_bit_by_bit(binary: LinearModel, tmp_path: Path) -> None:
    model = wide(binary)
    save(model, tmp_path / "wide.json")
    again = load(tmp_path / "wide.json")
    assert again.coef.tobytes() == model.coef.tobytes()
    assert again.uncertainty is not None
    assert model.uncertainty is not None
    assert again.uncertainty.estimate.tobytes() == model.uncertainty.estimate.tobytes()
    assert again.uncertainty.covariance.tobytes() == model.uncertainty.covariance.tobytes()
    assert (tmp_path / "wide.json").stat().st_size < 24 * MANY, "coefficients and estimates, hardly more than bytes"


@pytest.mark.parametrize("what", ["save", "load"])
def test_a_wide_model_is_written_and_read_in_a_few_times_its_own_size(
    what: str, binary: LinearModel, tmp_path: Path
) -> None:
    """A list of so many numbers takes forty times 8 bytes each."""
    model, path = wide(binary), tmp_path / "wide.json"
    save(model, path)
    tracemalloc.start()
    save(model, path) if what == "save" else load(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 16 * 8 * MANY


def test_rows_that_people_read_stay_lists(binary: LinearModel, tmp_path: Path) -> None:
    save(wide(binary, packed.LONG - 1), tmp_path / "small.json")
    save(wide(binary, packed.LONG), tmp_path / "large.json")
    small, large = (json.loads((tmp_path / name).read_text())["coef"][0] for name in ("small.json", "large.json"))
    assert type(small) is list
    assert type(large) is dict
    assert large["count"] == packed.LONG


def test_a_packed_file_of_schema_seven_stays_readable() -> None:
    model = load(Path(__file__).parent / "model_schema_7_packed.json")
    assert model.coef.tolist() == [[0.5, -1.25, 3.0]]
    assert model.uncertainty is not None
    assert model.uncertainty.covariance.tolist() == [0.25, 0.25, 0.25, 0.25]


def _packed(numbers: Array, count: int | None = None) -> dict[str, Any]:
    doubles = base64.b64encode(zlib.compress(numbers.astype("<f8").tobytes())).decode()
    return {"count": len(numbers) if count is None else count, "doubles": doubles}


GOOD = _packed(np.array([1.0, 2.0, 3.0]))
DAMAGED: list[Any] = [
    _packed(np.array([1.0, np.nan, 3.0])),
    _packed(np.array([1.0, np.inf, 3.0])),
    _packed(np.ones(3), count=4),
    _packed(np.ones(3), count=2),
    _packed(np.ones(4)),
    {"count": 3},
    {**GOOD, "more": 1},
    {**GOOD, "count": True},
    {**GOOD, "count": -3},
    {**GOOD, "count": 2**40},
    {**GOOD, "doubles": 3},
    {**GOOD, "doubles": "not base 64 !"},
    {**GOOD, "doubles": GOOD["doubles"][:-8]},
    {**GOOD, "doubles": base64.b64encode(b"not deflated at all").decode()},
    {**GOOD, "doubles": base64.b64encode(zlib.compress(np.ones(3).tobytes()) + b"x").decode()},
]


@pytest.mark.parametrize("row", DAMAGED)
def test_damaged_packed_numbers_are_one_clear_line(row: Any, binary: LinearModel, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    save(binary, path)
    fields = json.loads(path.read_text())
    path.write_text(json.dumps(fields | {"coef": [row]}))
    with pytest.raises(UnreadableFile, match=r"model\.json: not a usable model") as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_a_small_file_cannot_fill_the_memory(binary: LinearModel, tmp_path: Path) -> None:
    """Ten million zeros deflate to nothing; that they are more than announced is seen at the first byte too many."""
    path = tmp_path / "model.json"
    save(binary, path)
    fields = json.loads(path.read_text())
    path.write_text(json.dumps(fields | {"coef": [_packed(np.zeros(10**7), count=3)]}))
    tracemalloc.start()
    with pytest.raises(UnreadableFile, match="as many"):
        load(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10**7
