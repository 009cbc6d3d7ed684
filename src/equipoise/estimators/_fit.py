"""The road of the data, whole: plan, debit, look, release.  Every estimator takes it and none has another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from equipoise.estimators._origin import origin_now
from equipoise.estimators._spent import after_the_debit
from equipoise.gate import MECHANISMS, Bits
from equipoise.gate.models.first import first
from equipoise.inside import Private, Records
from equipoise.inside.strangers import unseen
from equipoise.ledger import Entry, Ledger, LedgerLike
from equipoise.outside.released import Released
from equipoise.theory.plan import Plan


def release(
    enter: Callable[[Entry], Private[Records]], plan: Plan, ledger: LedgerLike | None, label: str, bits: Bits
) -> Released:
    """Debit the plan's event, let the records in, pass the gate.  From the debit on, whatever happens is spent.

    The entry is shown to whoever lets the records in: how they are encoded may be a part of what was paid for.
    """
    account: LedgerLike = Ledger() if ledger is None else ledger
    with account.reserve(plan.event, label=label, neighbours=plan.facts.neighbours) as entry, unseen():
        with after_the_debit():
            records, settled, found = first(enter(entry), plan, entry, bits)
            released = MECHANISMS[plan.mechanism].release(records, settled, entry, bits)
        entry.commit()
    return replace(released, length=found.length, labels=found.labels, origin=origin_now(ledger))
