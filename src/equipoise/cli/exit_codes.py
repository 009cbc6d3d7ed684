"""What the command's exit code says: the one place where errors become numbers; docs/reference/cli.md has the table."""

from __future__ import annotations

from enum import IntEnum

from equipoise.errors import BudgetExhausted, EquipoiseError, LedgerFailure


class Code(IntEnum):
    """Promises: a script may branch on them."""

    DONE = 0
    NO = 1
    BAD_INPUT = 2
    OVER_LIMIT = 3
    LEDGER = 4
    FILES = 5
    DECLINED = 6
    INTERRUPTED = 130
    CLOSED_PIPE = 141

    @property
    def words(self) -> str:
        return MEANINGS[self]


MEANINGS = {
    Code.DONE: "Done.",
    Code.NO: "The command worked and its answer is no: a claim was broken, or a file does not fit its schema.",
    Code.BAD_INPUT: "Bad input: an option, a file or a schema breaks a rule that the line on stderr names.",
    Code.OVER_LIMIT: "The ledger's limit would be exceeded. Nothing was spent.",
    Code.LEDGER: "The ledger could not be read or written. Nothing was released.",
    Code.FILES: "A file could not be read or written: missing rights, a full disk.",
    Code.DECLINED: "The question before spending was not answered with yes. Nothing was spent.",
    Code.INTERRUPTED: "Interrupted by Ctrl-C. The ledger counts what was reserved until then.",
    Code.CLOSED_PIPE: "Whoever read the output, such as head, stopped reading. A folder is there whole or not at all.",
}


class Declined(EquipoiseError):
    """The person at the keyboard said no, or there was nobody to ask."""


def code_of(problem: Exception) -> Code:
    """The code of an error of ours or of the file system; what is neither is a bug and is not mapped."""
    for kind, code in (
        (BudgetExhausted, Code.OVER_LIMIT),
        (LedgerFailure, Code.LEDGER),
        (Declined, Code.DECLINED),
        (EquipoiseError, Code.BAD_INPUT),
        (OSError, Code.FILES),
    ):
        if isinstance(problem, kind):
            return code
    raise problem
