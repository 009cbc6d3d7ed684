"""Audited releases with every gate crossing watched, for tests of what is audited."""

from __future__ import annotations

from equipoise.audit.frozen.replay import replay
from equipoise.audit.subjects.targets import Target


def furthest(target: Target) -> float:
    """How far its pairs move apart at most, over what was paid for; each must hold."""
    found = [replay(target.release, pair.left, pair.right) for pair in target.pairs]
    assert all(each.holds for each in found)
    return max(each.ratio for each in found)
