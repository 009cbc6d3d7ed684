"""The stability study: a small run on simulated rows, and rules that can fail."""

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
from equipoise.stability import elastic_net_as_printed
from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN
from equipoise.studies.stability import claims, data, methods, narrowing, runs
from equipoise.studies.stability.methods import DYNAMIC, OPEN, PRINTED, PRIVATE, STATIC, epsilon_as_printed, sparse_net
from equipoise.studies.stability.narrowing import AS_IT_IS, BY_CHANCE, BY_PRIVATE, BY_PUBLIC
from equipoise.studies.stability.runs import FIXED, SELECT, TUNED, Settings
from equipoise.studies.stability.summary import Line, Summary

TINY = Settings((0.01, 0.1), (1.0,), (1.0,), 1)
SHAPES = dict.fromkeys(data.FILES, (150, 40))


@pytest.fixture(scope="module", autouse=True)
def _small_tables() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "SIMULATED_SHAPES", SHAPES)
        patch.setattr(data, "PLANTED_SHAPE", (400, 10))
        yield


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The command on a tiny study without data."""
    out = tmp_path_factory.mktemp("study") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "QUICK", TINY)
        patch.setattr(screen, "cores", lambda: 1)
        options = ["--quick", "--simulated", "--out", str(out)]
        result = CliRunner().invoke(app, ["reproduce", "stability", *options], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return out, result.output


def test_the_command_writes_a_report_a_table_and_pictures(ran: tuple[Path, str]) -> None:
    out, said = ran
    files = {"report.html", "points.csv", "tuned.png", "fixed.png", "selection.png", "narrowing.png"}
    assert files <= {path.name for path in out.iterdir()}
    assert "simulated rows" in said
    rows = list(csv.DictReader((out / "points.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["method"] for row in rows} == {OPEN, PRIVATE, DYNAMIC, STATIC, PRINTED}
    assert {row["way"] for row in rows} == {AS_IT_IS, *narrowing.WIDE_WAYS}
    assert "not private" in (out / "report.html").read_text(encoding="utf-8")


def test_a_second_run_computes_nothing_and_a_quick_one_refutes_nothing(ran: tuple[Path, str]) -> None:
    out, said = ran
    again = runs.run(data.load(None, True), TINY, out, 1, lambda done, total: None)
    assert again.computed == 0
    assert FAILS not in said


def test_noise_of_the_printed_constant_is_that_of_a_smaller_epsilon() -> None:
    alpha, n, d = 0.01, 900, 6
    direct = sparse_net(alpha, 1.0, 0).plan(n, d)
    printed = elastic_net_as_printed(1.0, direct.facts.bounds.norm, alpha, n).value
    stricter = sparse_net(alpha, epsilon_as_printed(alpha, 1.0, n, d), 0).plan(n, d)
    wanted = direct.noise_scale * printed / direct.sensitivity.l2
    assert printed > direct.sensitivity.l2
    assert stricter.noise_scale == pytest.approx(wanted, rel=0.01)  # the solver's radius is not scaled


def test_seeds_differ_from_task_to_task() -> None:
    tasks = runs.tasks(TINY, data.load(None, True))
    assert len({task.seed for task in tasks}) == len(tasks)


def test_only_the_way_that_says_so_looks_at_private_rows() -> None:
    """Directions of the two honest ways stay as they are when every training row is exchanged."""
    table = data.simulated("Twitch")
    _, train, _ = narrowing.split(table.y, 0)
    other = np.array(table.X)
    other[train] = other[train][:, ::-1]
    changed = data.Table("Twitch", other, table.y, table.task, False)
    for way, same in ((BY_CHANCE, True), (BY_PUBLIC, True), (BY_PRIVATE, False)):
        before, after = (narrowing.narrowed(each, way, 0).test[0] for each in (table, changed))
        assert np.allclose(before, after) == same, way


def test_parts_are_apart_and_rows_have_length_one() -> None:
    table = data.simulated("Facebook")
    public, train, test = narrowing.split(table.y, 3)
    assert sorted([*public, *train, *test]) == list(range(len(table.y)))
    for way in narrowing.ways(table):
        X = narrowing.narrowed(table, way, 3).train[0]
        np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)
        assert X.shape[1] <= narrowing.COLUMNS
    assert narrowing.ways(data.simulated("Adult")) == (AS_IT_IS,)
    np.testing.assert_allclose(
        data.unit_rows(sparse.csr_array([[3.0, 4.0], [0.0, 0.0]])).toarray(), [[0.6, 0.8], [0.0, 0.0]]
    )


def test_fixed_noise_is_the_same_at_every_ridge() -> None:
    scales = []
    for alpha in (0.003, methods.REFERENCE_ALPHA, 0.3):
        epsilon = methods.epsilon_of_fixed_noise(alpha, 1000, 32)
        scales.append(methods.fitted(alpha, epsilon, 0).plan(1000, 32).noise_scale)
        assert (epsilon < 1.0) == (alpha > methods.REFERENCE_ALPHA)
    np.testing.assert_allclose(scales, scales[0], rtol=1e-4)


def test_chosen_features_are_judged() -> None:
    matter = np.array([True, True, False, False])
    assert methods.judged(np.array([True, False, True, False]), matter)["f1"] == 0.5
    assert methods.judged(matter, matter) == {"f1": 1.0, "precision": 1.0, "recall": 1.0}
    assert methods.judged(~(matter | True), matter)["f1"] == 0


@pytest.mark.parametrize("name", list(data.FILES))
def test_a_file_that_is_no_table_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / data.FILES[name]
    path.write_bytes(b"nothing")
    with pytest.raises(InvalidInput, match="fetch it again"):
        data.READERS[name](path)


def summary_of(numbers: dict[Line, dict[float, float]], measure: str = "accuracy") -> Summary:
    return Summary(
        {line: {alpha: {measure: {0: value}} for alpha, value in values.items()} for line, values in numbers.items()}
    )


def line(part: str, way: str = AS_IT_IS, method: str = PRIVATE, epsilon: float = 0.0) -> Line:
    return (part, "Adult", way, method, epsilon)


def test_rules_can_hold_and_fail() -> None:
    for rise, verdict in ((5.0, HOLDS), (-5.0, FAILS)):
        means = {0.001: 70.0, 0.1: 70.0 + rise}
        assert claims.steadier_is_better(summary_of({line(TUNED, epsilon=0.1): means})).verdict == verdict
    for late, verdict in ((0.001, HOLDS), (0.1, FAILS)):
        ends = {line(TUNED, epsilon=0.1): {0.01: 70.0}, line(TUNED, epsilon=10.0): {late: 80.0}}
        assert claims.best_falls(summary_of(ends)).verdict == verdict
    for gain, verdict in ((3.0, HOLDS), (1.0, FAILS)):
        found = summary_of({line(TUNED, epsilon=1.0): {0.1: 70.0 + gain}})
        found.values.update(summary_of({line(TUNED, method=OPEN): {0.1: 70.0}}, "constant").values)
        assert claims.beats_the_constant(found).verdict == verdict
    for change, verdict in ((-1.0, HOLDS), (-5.0, FAILS)):
        found = summary_of({line(FIXED): {0.01: 80.0, 0.1: 80.0 + change}})
        for alpha, held in found.values[line(FIXED)].items():
            held["epsilon"] = {0: 0.01 / alpha}
        assert claims.privacy_is_free(found).verdict == verdict
    for static, verdict in ((0.5, HOLDS), (0.9, FAILS)):
        pair = {
            line(SELECT, method=DYNAMIC, epsilon=1.0): {0.1: 0.7},
            line(SELECT, method=STATIC, epsilon=1.0): {0.1: static},
        }
        assert claims.dynamic_wins(summary_of(pair, "f1")).verdict == verdict
        pair[line(SELECT, method=PRINTED, epsilon=1.0)] = pair.pop(line(SELECT, method=STATIC, epsilon=1.0))
        assert claims.direct_constant_wins(summary_of(pair, "f1")).verdict == verdict
    for loss, verdict in ((1.0, HOLDS), (4.0, FAILS)):
        pair = {
            line(TUNED, BY_PRIVATE, epsilon=1.0): {0.1: 80.0},
            line(TUNED, BY_CHANCE, epsilon=1.0): {0.1: 80.0 - loss},
        }
        assert claims.narrowing(summary_of(pair), BY_CHANCE).verdict == verdict
    assert {claim.verdict for claim in claims.check_claims(Summary({}))} == {UNKNOWN}
