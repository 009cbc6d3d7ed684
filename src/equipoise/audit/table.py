"""The audit table: every mechanism of the library with its claim, and what an attacker makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed

from equipoise._checks import quoted
from equipoise.audit.attempts import audit_target
from equipoise.audit.subjects.library import library
from equipoise.audit.verdict import Attempt, Audit
from equipoise.errors import InvalidInput

Progress = Callable[[int, int], None]

SAMPLES, CONFIDENCE = 2000, 0.9999
QUICK_SAMPLES = 200

NOT_RELEASES = {
    "Advice": "says before looking what a transfer is worth",
    "Transferred": "a model taught by private answers, and what they cost",
    "transfer": "asks a predictor about public rows and pays for each answer; those answers are audited above",
    "Cost": "says what a batch of answers costs",
    "PrivatePredictor": "abstract: what the predictors share",
    "NoisyChoice": "a warning",
    "WideInterval": "a warning",
    "Encoder": "learns nothing: a row becomes a vector by public facts alone",
    "OracleSearch": "claims nothing: it looks without noise, for studies only, and its guarantee says so",
    "Procedure": "states the stability of anybody's training, for `tune`",
    "LipschitzScore": "a score for `tune`",
    "StatedScore": "a score for `tune`",
    "Score": "a score for `StabilitySearch`",
    "Rows": "public sizes for `tune`",
    "check_statement": "looks for neighbours that refute a stated stability; nothing leaves",
    "PoissonStop": "a law of the number of runs, for `RandomStopSearch`",
    "TruncatedNegativeBinomial": "a law of the number of runs, for `RandomStopSearch`",
    "Concentrated": "a measure of privacy",
    "Gaussian": "a measure of privacy",
    "Pure": "a measure of privacy",
    "Renyi": "a measure of privacy",
}
"""Public names of `equipoise.answering` and `equipoise.tuning` that release nothing by themselves."""

HEAD = """# The audit table

Every mechanism of the library, attacked on the worst neighbouring tables we found. Written by `make audit-table`; do
not edit.

- **claimed**: ε and δ as stated, under replacement of one row.
- **exact**: ε of the worst pair found, computed from the law of what leaves, at the claimed δ; a dash where no law is
  known in closed form. Of noisy gradients it is that of one recorded path.
- **proved**: the largest ε that samples of the whole release refute ({samples} draws from each table unless the release
  is slow; confidence {confidence}). Samples prove little at a tiny δ or in few draws: this column is small by nature.
- **moved**: how far apart the values before noise came, as a share of what was stated and paid for.
- **worst pair**: the neighbouring tables.

A row survives if neither column exceeds its claim, and moved is at most 1. An audit refutes claims and never proves
one; the proofs are in [docs/proofs](../proofs).

| release | claimed ε | δ | exact | proved | moved | law | worst pair | verdict |
|---|---:|---:|---:|---:|---:|---|---|---|
"""

TAIL = """
## Names that release nothing by themselves

| name | what it is |
|---|---|
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    name: str
    audit: Audit

    def markdown(self) -> str:
        exact, proved = self._found(exact=True), self._found(exact=False)
        shown = [
            self.name,
            f"{self.audit.statement.epsilon:g}",
            f"{self.audit.statement.delta:g}",
            _number(exact),
            _number(proved),
            f"{self.audit.settings['moved']:.3f}",
            exact.name if exact else "samples",
            (exact or proved or self.audit.attempts[0]).pair,
            "survived" if self.audit.survived else "**BROKEN**",
        ]
        return f"| {' | '.join(cell.replace('|', '∣') for cell in shown)} |"

    def _found(self, *, exact: bool) -> Attempt | None:
        known = [each for each in self.audit.attempts if each.measured is not None and each.exact is exact]
        return max(known, key=lambda each: each.measured or 0.0, default=None)


def _number(attempt: Attempt | None) -> str:
    return "–" if attempt is None or attempt.measured is None else f"{attempt.measured:.3f}"


def audit_table(
    *, samples: int = SAMPLES, confidence: float = CONFIDENCE, jobs: int = 1, progress: Progress | None = None
) -> tuple[Row, ...]:
    """Audit every release of the library, several processes at a time.  `progress(done, total)` counts rows."""
    names = [(target.name, target.delta) for target in library()]
    if len(set(names)) < len(names):
        raise InvalidInput("library: two releases have the same name and delta")
    rows = []
    for row in _run(names, samples, confidence, jobs):
        rows.append(row)
        if progress is not None:
            progress(len(rows), len(names))
    return tuple(rows)


def _run(names: Sequence[tuple[str, float]], samples: int, confidence: float, jobs: int) -> Iterator[Row]:
    if jobs == 1:
        return (audit_row(*name, samples, confidence) for name in names)
    engine = Parallel(n_jobs=jobs, backend="loky", return_as="generator")
    found: Iterator[Row] = engine(delayed(audit_row)(*name, samples, confidence) for name in names)
    return found


def audit_row(name: str, delta: float, samples: int = SAMPLES, confidence: float = CONFIDENCE) -> Row:
    """One release of the library, by its name and δ."""
    for target in library():
        if (target.name, target.delta) == (name, delta):
            return Row(name, audit_target(target, samples=samples, confidence=confidence))
    raise InvalidInput(f"name={quoted(name)}: no release of the library with delta={delta:g}")


def markdown(rows: Sequence[Row], samples: int, confidence: float) -> str:
    """The page."""
    head = HEAD.format(samples=f"{samples:,}", confidence=confidence)
    tail = "".join(f"| {name} | {what} |\n" for name, what in sorted(NOT_RELEASES.items()))
    return head + "".join(f"{row.markdown()}\n" for row in rows) + TAIL + tail
