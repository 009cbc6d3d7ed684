"""The standing comparison's results file, its claims, and the command in its shortest form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.utility import claims, foretold, plan, rivals, run
from benchmarks.utility.compare import Results, lead, not_behind
from benchmarks.utility.results import Cell, Result, append, read, tidy
from typer.testing import CliRunner

import equipoise
from equipoise.cli import bench
from equipoise.cli.main import app
from equipoise.errors import InvalidInput
from equipoise.studies.common.claims import FAILS, HOLDS, UNKNOWN

SHORT = "auto,not private,constant,AdaSSP,noisy gd rule"


def result(contender: str, kind: str, scores: list[float], epsilon: float = 1.0, **more: object) -> Result:
    """On a regression table, with those R²."""
    own = Result(
        problem="t", place="fresh", task="regression", n=8000, d=5, contender=contender, kind=kind, family="linear",
        epsilon=epsilon, delta=1e-6, seeds=len(scores), setting="", mechanism="", accuracy=None, accuracy_se=None,
        auc=None, auc_se=None, log_loss=None, log_loss_se=None, brier=None, brier_se=None,
        r2=sum(scores) / len(scores), r2_se=0.01, mse=1.0, mse_se=None, scores=" ".join(map(str, scores)),
        seconds=0.1, failed="", configuration="1",
    )  # fmt: skip
    return replace(own, **more)  # type: ignore[arg-type]


def gathered(*found: Result) -> Results:
    return Results({each.cell: each for each in found})


REFERENCES = (
    result("not private", "reference", [0.5, 0.5], epsilon=0.0, delta=0.0),
    result("constant", "reference", [0.0, 0.0], epsilon=0.0, delta=0.0),
)


@pytest.mark.parametrize(("got", "scored", "paid"), [(0.49, True, True), (0.99, False, False), (-0.9, False, False)])
def test_what_a_plan_foretold_is_compared_with_what_came(got: float, scored: bool, paid: bool) -> None:
    """A cost below nothing, or more than all, was not foretold either; what lies beside by two errors was."""
    own = result("auto", "equipoise", [got, got])
    found = foretold.compared(gathered(*REFERENCES, own), own)
    assert found is not None
    assert (found.scored, found.paid) == (scored, paid)
    assert found.left == pytest.approx(1 - got / 0.5)


def test_what_plans_foretold_is_told_by_set_and_advice() -> None:
    own = result("auto", "equipoise", [0.49, 0.49])
    lines = foretold.section(gathered(*REFERENCES, own), {"fresh": "never seen before"}).splitlines()
    assert "| never seen before | 1 | 100% | 100% |" in lines
    assert any(line.endswith("| never seen before | 1 | 0.02 to 0.02 |") for line in lines)
    assert foretold.section(gathered(*REFERENCES), {"fresh": "never seen before"}) == ""


def test_results_come_back_as_they_were_written(tmp_path: Path) -> None:
    path, first = tmp_path / "r.csv", result("auto", "equipoise", [0.25, 0.5])
    append(path, first)
    assert read(path) == {first.cell: first}


def test_a_line_cut_off_by_a_crash_is_passed_over_and_the_newest_counts(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    for score in (0.1, 0.2):
        append(path, result("auto", "equipoise", [score, score]))
    with path.open("a") as file:
        file.write("t,fresh,regress")
    assert [each.by_seed for each in read(path).values()] == [[0.2, 0.2]]
    tidy(path, read(path).values())
    assert len(path.read_text().splitlines()) == 2


def test_a_lead_is_measured_on_splits_that_both_have() -> None:
    own, other = result("auto", "equipoise", [0.1, 0.5, 0.3]), result("AdaSSP", "peer", [0.0, 0.4])
    assert lead(own, other)[1] == pytest.approx(0.0)
    assert not_behind(own, other)
    assert not not_behind(other, own)


def test_claims_are_decided_by_the_figures() -> None:
    own = result("auto", "equipoise", [0.4, 0.4])
    peer, rule = result("AdaSSP", "peer", [0.2, 0.2]), result("noisy gd rule", "rule", [0.25, 0.25])
    good = gathered(*REFERENCES, own, peer, rule)
    assert claims.never_behind(good, "fresh")[1] == HOLDS
    assert claims.half_of_peers(good, "fresh")[0].startswith("regression 0.33")
    assert claims.less_than_rules(good, "fresh") == ("regression 0.40 (0.40)", HOLDS)
    assert claims.regression_halves(good, "fresh")[1] == HOLDS
    bad = gathered(*REFERENCES, replace(own, r2=-0.1, scores="-0.1 -0.1"), peer, rule)
    for claim in (claims.never_behind, claims.half_of_peers, claims.something_learnt, claims.above_constant):
        assert claim(bad, "fresh")[1] == FAILS
    assert claims.never_behind(good, "design")[1] == UNKNOWN


def test_a_fit_that_failed_is_behind_everybody_and_as_bad_as_the_constant() -> None:
    own = replace(result("auto", "equipoise", [0.4, 0.4]), r2=None, scores="", failed="InvalidInput")
    found = gathered(*REFERENCES, own, result("AdaSSP", "peer", [0.3, 0.3]))
    assert claims.never_behind(found, "fresh")[1] == FAILS
    assert claims.half_of_peers(found, "fresh")[0].startswith("regression 2.50")


def test_more_epsilon_that_hurts_is_noticed() -> None:
    rising = [result("auto", "equipoise", [0.1 * k, 0.1 * k + 0.01], epsilon=float(k)) for k in (1, 2, 3)]
    assert claims.more_is_better(gathered(*rising), "fresh")[1] == HOLDS
    dropped = replace(rising[-1], r2=0.105, scores="0.1 0.11")
    assert claims.more_is_better(gathered(*rising[:2], dropped), "fresh")[1] == FAILS


def test_what_is_known_is_not_run_again_unless_the_library_changed(tmp_path: Path) -> None:
    path, cells = tmp_path / "r.csv", plan.cells(None, ["sim-tiny"], ["constant", "auto"], quick=True)
    found = run.complete(cells, path, 1, True, lambda *_: None)
    name, own = cells[0]
    assert run.todo(name, own, found, True) == []
    stale = {cell: replace(each, configuration="older") for cell, each in found.items()}
    assert len(run.todo(name, own, stale, True)) == len(own)
    assert Cell("sim-tiny", "auto", 0.3, 1e-6) in found


def test_fewer_seeds_may_be_asked_for_and_are_filled_up_later(tmp_path: Path) -> None:
    path, cells = tmp_path / "r.csv", plan.cells(None, ["sim-tiny"], ["constant"], quick=False)
    found = run.complete(cells, path, 1, False, lambda *_: None, 2)
    name, own = cells[0]
    assert [each.seeds for each in found.values()] == [2]
    assert run.todo(name, own, found, False, 2) == []
    assert run.todo(name, own, found, False) == [(own[0], 20)]


def test_the_command_measures_resumes_and_writes(tmp_path: Path) -> None:
    asked = ["bench", "accuracy", "--quick", "--problems", "sim-number-small,sim-tiny", "--contenders", SHORT]
    first = CliRunner().invoke(app, [*asked, "--out", str(tmp_path)])
    assert first.exit_code == 0, first.output
    before = (tmp_path / "utility.csv").read_text()
    again = CliRunner().invoke(app, [*asked, "--out", str(tmp_path)])
    assert again.exit_code == 0
    assert (tmp_path / "utility.csv").read_text() == before
    page = (tmp_path / "accuracy.md").read_text()
    assert "sim-number-small (400, 3)" in page
    assert "**not measured**" in page


def test_problems_and_contenders_that_do_not_exist_are_named(tmp_path: Path) -> None:
    for option in ("--problems", "--contenders", "--set"):
        found = CliRunner().invoke(app, ["bench", "accuracy", option, "nonsense", "--out", str(tmp_path)])
        assert isinstance(found.exception, InvalidInput)
        assert "nonsense" in str(found.exception)


def test_without_a_checkout_one_line_says_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(equipoise, "__file__", str(tmp_path / "equipoise" / "__init__.py"))
    with pytest.raises(InvalidInput, match="needs a checkout"):
        bench.checkout()


def test_each_rival_has_a_line_of_its_own_over_shared_splits() -> None:
    own = result("auto", "equipoise", [0.4, 0.4, 0.1])
    oracle = result("AdaSSP oracle", "oracle", [0.45, 0.45])
    found = rivals.one_by_one(gathered(*REFERENCES, own, oracle), {"fresh": "new", "seen": "old"})
    assert "| AdaSSP oracle | tuned on the test rows | 0% of 1; –, 2.00 | – |" in found


def test_additive_models_stand_beside_boosted_and_linear_ones() -> None:
    mine = result("additive", "equipoise", [0.42, 0.42], family="additive")
    found = gathered(*REFERENCES, mine, result("DP-EBM", "peer", [0.3, 0.3]), result("auto", "equipoise", [0.43, 0.45]))
    assert "| t (8,000) |  | **.420** / .300 / .440 |  |" in rivals.additive_models(found, {"fresh": "new"})
    assert claims.additive_ahead(found, "fresh") == ("100% of 1 cells", HOLDS)
    assert claims.additive_not_behind(found, "fresh") == ("0% of 1 cells", FAILS)
