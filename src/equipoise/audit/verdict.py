"""What an audit says: the claim, everything that was tried, the strongest attack, and whether the claim survived."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = 1

SURVIVED, BROKEN, UNDECIDED = "held", "BROKEN", "could not be checked"


@dataclass(frozen=True, slots=True)
class Statement:
    """The claim under audit, as it was made."""

    subject: str
    kind: str
    """"model", "estimator" or "service"."""
    epsilon: float
    delta: float
    adjacency: str = "replace-one"
    unit: str = "one row"
    mechanism: str = ""
    theorem: str = ""
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One thing that was tried.  `held` is None where it could not be checked; `told` says why or what came out."""

    name: str
    held: bool | None
    told: str
    measured: float | None = None
    """ε that the attempt proved or computed, where it is about ε."""
    claimed: float | None = None
    """The ε to compare it with."""
    pair: str = ""
    """The neighbouring data sets, in words."""
    exact: bool = False
    """Whether `measured` was computed, not sampled."""

    @property
    def outcome(self) -> str:
        return UNDECIDED if self.held is None else SURVIVED if self.held else BROKEN

    @property
    def share(self) -> float:
        """How much of the claim was reached; −1 for attempts that are not about ε."""
        if self.measured is None or not self.claimed:
            return -1.0
        return self.measured / self.claimed


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything to be filed.  It can refute a claim and never proves one."""

    statement: Statement
    attempts: tuple[Attempt, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def survived(self) -> bool:
        """Nothing that was tried broke the claim, and something was tried."""
        tried = [attempt for attempt in self.attempts if attempt.held is not None]
        return bool(tried) and all(attempt.held for attempt in tried)

    @property
    def strongest(self) -> Attempt | None:
        """What broke the claim, or else came nearest to it; None when nothing was about ε."""
        broke = [attempt for attempt in self.attempts if attempt.held is False]
        near = [attempt for attempt in self.attempts if attempt.measured is not None]
        return max(broke or near, key=lambda attempt: attempt.share, default=None)

    @property
    def words(self) -> str:
        """The verdict in one sentence."""
        wrong = [attempt.name for attempt in self.attempts if attempt.held is False]
        if wrong:
            return f"The claim is broken by: {', '.join(wrong)}."
        if not self.survived:
            return "Nothing could be checked, so nothing is said about the claim."
        return "The claim survived everything that was tried. This is evidence, not a proof."

    def to_json(self) -> dict[str, Any]:
        """Plain data, for programs; numbers without a bound are null."""
        strongest = self.strongest
        return {
            "format": "equipoise-audit",
            "schema": SCHEMA,
            "survived": self.survived,
            "verdict": self.words,
            "claim": {**_plain(asdict(self.statement)), "details": dict(self.statement.details)},
            "strongest": None if strongest is None else strongest.name,
            "attempts": [{"outcome": each.outcome, **_plain(asdict(each))} for each in self.attempts],
            "settings": _plain(self.settings),
        }

    def __str__(self) -> str:
        claim = f"epsilon={self.statement.epsilon:g}, delta={self.statement.delta:g}"
        lines = [f"Audit of {self.statement.subject}: {claim}, {self.statement.adjacency}"]
        lines += [f"  {each.outcome}: {each.name}. {each.told}" for each in self.attempts]
        return "\n".join([*lines, f"  {self.words}"])


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: None if isinstance(v, float) and not math.isfinite(v) else v for name, v in values.items()}
