"""Exact laws of estimators audited by name: whatever number of rows is asked for, an audit does not end halfway."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equipoise.audit import attempts
from equipoise.audit.exact.audits import TooFarApart, exact_audit
from equipoise.audit.subjects.named import estimator_target
from equipoise.audit.verdict import UNDECIDED
from equipoise.errors import InvalidInput


@pytest.mark.parametrize(
    ("rows", "case"), [(20, "balanced"), (50, "balanced"), (2, "zero"), (200, "zero and balanced")]
)
@pytest.mark.parametrize("name", ["LogisticRegression", "LinearSVC"])
def test_the_laws_of_every_size_are_integrated(name: str, rows: int, case: str) -> None:
    """Twenty rows ended an audit: between the rays the quadrature missed a part of the mass."""
    target = estimator_target(name, rows=rows)
    pairs = [pair for pair in target.pairs if pair.case.partition(";")[0] == f"others {case}"]
    assert target.plan is not None
    assert pairs
    for pair in pairs:
        assert exact_audit(target.plan, pair.left, pair.right).holds, pair.case


def test_a_pair_that_cannot_be_integrated_is_told_and_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    target = estimator_target("LogisticRegression", rows=8)
    target = replace(target, pairs=target.pairs[:2], labels=None)
    honest, lost = exact_audit, [target.pairs[0].case]

    def sometimes(plan: Any, left: Any, right: Any) -> Any:
        if any(pair.left is left and pair.case in lost for pair in target.pairs):
            raise TooFarApart("plan: the neighbours are too far apart to integrate")
        return honest(plan, left, right)

    monkeypatch.setattr(attempts, "exact_audit", sometimes)
    found = {each.name: each for each in attempts.audit_target(target, samples=60).attempts}["exact density"]
    assert found.held is True
    assert "Of 2 pairs 1 are too far apart" in found.told
    lost.append(target.pairs[1].case)
    found = {each.name: each for each in attempts.audit_target(target, samples=60).attempts}["exact density"]
    assert found.held is None
    assert found.outcome == UNDECIDED


@pytest.mark.parametrize("rows", [-1, 0, 1])
def test_too_few_rows_are_refused_before_anything_is_run(rows: int) -> None:
    for name in ("LogisticRegression", "HistogramDensity", "RandomSearch"):
        with pytest.raises(InvalidInput, match=f"rows={rows}: must be at least 2"):
            estimator_target(name, rows=rows)
