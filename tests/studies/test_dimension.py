"""The dimension study: a small run on simulated rows, and rules that can fail."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

from equipoise.cli import screen
from equipoise.cli.main import app
from equipoise.errors import InvalidInput
from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN
from equipoise.studies.dimension import claims, data, runs
from equipoise.studies.dimension.methods import BY_KEY
from equipoise.studies.dimension.runs import EPSILON, ROUNDS, WIDENED, Settings, Task
from equipoise.studies.dimension.summary import Summary

SHAPES = {
    "Cod-RNA": (400, 8),
    "Farm Ads": (300, 100),
    "Facebook": (300, 100),
    "Twitch": (300, 100),
    "URL": (300, 200),
    "Planted": (400, 8),
}
TINY = Settings((10.0,), (8, 300), (20, 80), (2, 4), 1)


@pytest.fixture(scope="module", autouse=True)
def _small_tables() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "SIMULATED_SHAPES", SHAPES)
        yield


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The command on a tiny study without data."""
    out = tmp_path_factory.mktemp("study") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "QUICK", TINY)
        patch.setattr(screen, "cores", lambda: 1)
        options = ["--quick", "--simulated", "--out", str(out)]
        result = CliRunner().invoke(app, ["reproduce", "dimension", *options], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return out, result.output


def test_the_command_writes_a_report_a_table_and_pictures(ran: tuple[Path, str]) -> None:
    out, said = ran
    assert {"report.html", "points.csv", "epsilon.png", "width.png", "regret.png"} <= {
        path.name for path in out.iterdir()
    }
    assert "simulated rows" in said
    rows = list(csv.DictReader((out / "points.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["method"] for row in rows} == {*BY_KEY, *runs.LEADERS}
    assert "Does privacy get worse" in (out / "report.html").read_text(encoding="utf-8")


def test_a_second_run_computes_nothing_and_a_quick_one_refutes_nothing(ran: tuple[Path, str]) -> None:
    out, said = ran
    again = runs.run(data.load(None, True), TINY, out, 1, lambda done, total: None)
    assert again.computed == 0
    assert FAILS not in said


def test_zeros_change_neither_rows_nor_labels() -> None:
    X = sparse.csr_array(np.eye(3))
    wide = data.widened(X, 10)
    assert wide.shape == (3, 10)
    np.testing.assert_array_equal(wide.toarray()[:, :3], np.eye(3))
    assert data.widened(X, 2).shape == (3, 3)


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "farm_ads.npz").write_bytes(b"nothing")
    with pytest.raises(InvalidInput, match="fetch it again"):
        data.READERS["Farm Ads"](tmp_path / "farm_ads.npz")


def summary_of(numbers: dict[tuple[str, str, str, float], float], measure: str = "accuracy") -> Summary:
    return Summary({place: {measure: {0: value}} for place, value in numbers.items()})


def test_rules_can_hold_and_fail() -> None:
    for change, verdict in ((0.5, HOLDS), (-8.0, FAILS)):
        ends = {(WIDENED, "Cod-RNA", key, 8.0): 80.0 for key in BY_KEY}
        ends |= {(WIDENED, "Cod-RNA", key, 1e6): 80.0 + change for key in BY_KEY}
        found = summary_of(ends)
        assert claims.flat(found).verdict == verdict
        assert claims.falls(found).verdict == (FAILS if verdict == HOLDS else HOLDS)
    for best, verdict in ((71.0, HOLDS), (90.0, FAILS)):
        drawn = summary_of({(WIDENED, "Planted", key, 8.0): value for key, value in (("ball", best), ("sample", 70.0))})
        assert claims.draws_are_near(drawn, "Planted").verdict == verdict
    for better, verdict in ((1.0, HOLDS), (-1.0, FAILS)):
        pair = {(EPSILON, "URL", "output-gauss", 1.0): 70.0, (EPSILON, "URL", "objective-gauss", 1.0): 70.0 + better}
        assert claims.objective_wins(summary_of(pair)).verdict == verdict
    for regrets, verdict in (((10.0, 20.0), HOLDS), ((10.0, 90.0), FAILS)):
        played = {
            (ROUNDS, "experts", "leader", level): value for level, value in zip((100.0, 400.0), regrets, strict=True)
        }
        assert claims.regret_grows(summary_of(played, "regret"), ROUNDS, "leader").verdict == verdict
    assert {claim.verdict for claim in claims.check_claims(Summary({}))} == {UNKNOWN}


def test_seeds_differ_from_task_to_task() -> None:
    tasks = runs.tasks(TINY, data.load(None, True))
    assert len({task.seed for task in tasks}) == len(tasks)
    assert Task(ROUNDS, "experts", "leader", 20.0, 0) in tasks
