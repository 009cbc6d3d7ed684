"""Short cuts of the dense design change no number that matters."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.inside.design.dense import DenseDesign, clipped


@pytest.mark.parametrize("row_norm", [1e-120, 1e-3, 1.0, 1e150])
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 0.3, 1e160, 1e300])
def test_a_row_is_clipped_the_same_alone_and_among_short_ones(scale: float, row_norm: float) -> None:
    rng = np.random.default_rng(0)
    X = scale * rng.normal(size=(300, 5)) * rng.choice([1e-3, 1.0, 1e3], size=(300, 1), p=[0.8, 0.1, 0.1])
    together = clipped(X, row_norm).matrix
    np.testing.assert_array_equal(together, np.vstack([clipped(X[k : k + 1], row_norm).matrix for k in range(300)]))
    assert max(np.hypot.reduce(row) for row in together) <= row_norm


@pytest.mark.parametrize(("bad", "becomes"), [(np.nan, 0.0), (np.inf, 1.0), (-np.inf, -1.0)])
def test_one_bad_entry_among_short_rows_is_settled_and_touches_no_other_row(bad: float, becomes: float) -> None:
    X = np.full((500, 3), 0.1)
    X[77, 1] = bad
    found = clipped(X, 1.0).matrix
    assert found[77, 1] == pytest.approx(becomes)
    assert np.all(np.delete(found, 77, axis=0) == 0.1)


@pytest.mark.parametrize("rows", [0, 1, 255, 256, 257, 512, 1000])
@pytest.mark.parametrize("more", [(), (1,), (4,)])
def test_sums_over_rows_do_not_depend_on_how_rows_fill_the_groups(rows: int, more: tuple[int, ...]) -> None:
    rng = np.random.default_rng(rows)
    X, r = rng.normal(size=(rows, 3)), rng.normal(size=(rows, *more))
    found = DenseDesign(X).rmatvec(r)
    assert found.shape == (3, *more)
    np.testing.assert_allclose(found, X.T @ r, rtol=1e-12, atol=1e-12)
