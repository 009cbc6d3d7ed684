"""Every exception and warning of ours.  A message names a parameter, a rule and a way out; it never quotes data."""

from __future__ import annotations

FREE = "nothing was spent"
SPENT = "Epsilon was spent: the ledger holds the debit, because records may have been read when this happened."


class EquipoiseError(Exception):
    """The family: `except EquipoiseError` catches all of ours and nothing else."""


class InvalidInput(EquipoiseError, ValueError):
    """A parameter or an array breaks a rule that can be stated without looking at record values."""


class BoundsRequired(EquipoiseError, ValueError):
    """A public bound is missing.  It must be given: one found in the data would be a leak."""


class MechanismRefused(EquipoiseError, ValueError):
    """The mechanism's theorem does not cover what was asked."""


class BudgetExhausted(EquipoiseError):
    """The ledger's limit would be exceeded.  Nothing was computed and nothing was spent."""


class NotCertified(EquipoiseError):
    """A distance to the minimiser smaller than doubles can promise was asked for.  No plan asks for one."""


class LedgerFailure(EquipoiseError):
    """The ledger could not record the expense, so nothing was released."""


class UnreadableFile(EquipoiseError, ValueError):
    """A model or ledger file is missing, damaged, or written by a newer version."""


class UnreadableLedger(UnreadableFile, LedgerFailure):
    """What is in a ledger's place cannot be read as one: damaged, another program's, or written by a newer version."""


class WorkerFailure(EquipoiseError):
    """A cluster could not do its part after the debit.  Which worker, where and why is not told: it may be a record."""


class PrivacyWarning(UserWarning):
    """The promise is weaker than it looks, by public facts: types, parameters and sizes, never by a record.

    Heard before anything is spent, so that a filter that makes errors of warnings stops the fit for free.
    """


def told_free(error: EquipoiseError) -> EquipoiseError:
    """The same error, saying at its end that it cost nothing; nothing of the original stays attached."""
    message = str(error)
    if FREE in message.lower():
        return error.with_traceback(None)
    return type(error)(f"{message} {FREE.capitalize()}." if message.endswith(".") else f"{message}; {FREE}")


def told_spent(error: BaseException) -> None:
    """Notes, once, that what was debited stays debited."""
    if SPENT not in getattr(error, "__notes__", ()):
        error.add_note(SPENT)
