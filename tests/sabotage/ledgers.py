"""Defects of ledgers: what is booked, when, and whether it is ever forgotten."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "ledger"
CONTRACT = "contracts/test_ledger_contract.py"

DEFECTS = (
    Defect(
        "debited-after-the-release",
        AREA,
        "The model is released first and debited afterwards.",
        "A crash, a bad value or an exhausted budget in between leaves a release that nobody counted.",
        edited(
            "estimators._fit",
            (
                "    with account.reserve(plan.event, label=label) as entry:\n"
                "        released = MECHANISMS[plan.mechanism].release(enter(), plan, entry, bits)\n",
                "    with Ledger().reserve(plan.event, label=label) as first:\n"
                "        released = MECHANISMS[plan.mechanism].release(enter(), plan, first, bits)\n"
                "    with account.reserve(plan.event, label=label) as entry:\n",
            ),
        ),
        ("estimators/test_debit_before_looking.py::test_records_enter_after_the_debit_and_a_crash_stays_paid",),
    ),
    Defect(
        "budget-lost-by-clone",
        AREA,
        "A copy of a ledger is a new one with the whole limit.",
        "Every clone in a cross-validation spends from a budget of its own.",
        edited(
            "ledger.memory",
            (
                "    def __deepcopy__(self, memo: dict[int, Any]) -> Ledger:\n        return self",
                "    def __deepcopy__(self, memo: dict[int, Any]) -> Ledger:\n"
                "        return Ledger(self._terms.epsilon, self._terms.delta)",
            ),
        ),
        (
            "ledger/test_with_scikit_learn.py::test_clone_shares_the_ledger",
            f"{CONTRACT}::test_copies_spend_from_the_same_budget",
        ),
    ),
    Defect(
        "budget-lost-by-pickle",
        AREA,
        "A ledger that was pickled comes back empty, ready to spend.",
        "Every worker process spends the whole limit.",
        edited(
            "ledger.memory",
            ("    if key in _PICKLED:", "    if key == ''  :"),
            ("stranger._process = _NO_PROCESS", "stranger._process = os.getpid()"),
        ),
        ("contracts/test_ledger_contract.py::test_copies_spend_from_the_same_budget",),
    ),
    Defect(
        "ledger-rounds-down",
        AREA,
        "Totals may pass the limit by one in a thousand.",
        "The limit is not the limit.",
        edited("ledger.limits", ("SLACK = 1e-12", "SLACK = 1e-3")),
        ("contracts/test_ledger_contract.py::test_ten_tenths_fit_in_one_and_not_a_crumb_more",),
    ),
    Defect(
        "slack-granted-to-every-entry",
        AREA,
        "The last total is compared with the limit instead of the total that the new release would make.",
        "One release too many is always accepted.",
        edited(
            "ledger.limits",
            (
                "    together = simple(tally.plus([new]).events)\n    if _claims",
                "    together = simple(tally.events)\n    if _claims",
            ),
        ),
        (f"{CONTRACT}::test_refused_reservation_records_nothing_and_a_smaller_one_still_fits",),
    ),
    Defect(
        "delta-not-limited",
        AREA,
        "The δ that releases claim is not compared with the limit's.",
        "Any number of (ε, δ) releases fit as far as δ goes.",
        edited("ledger.limits", ("return claimed_delta(happened) > limit.delta * (1 + SLACK)", "return False")),
        (f"{CONTRACT}::test_deltas_alone_can_exhaust_the_limit", "ledger/test_room.py::test_delta_is_looked_at_too"),
    ),
    Defect(
        "only-commits-are-counted",
        AREA,
        "A reservation counts once it is committed, not from the start.",
        "A crash between looking and committing is free, and threads overspend together.",
        edited(
            "ledger.memory",
            ("            self._tally = self._tally.plus([event])\n", ""),
            (
                "    def _commit(self, number: int) -> None:\n        with self._lock:\n",
                "    def _commit(self, number: int) -> None:\n        with self._lock:\n"
                "            self._tally = self._tally.plus([self._records[number - 1].event])\n",
            ),
        ),
        (
            f"{CONTRACT}::test_reservation_counts_before_it_is_committed",
            f"{CONTRACT}::test_block_left_without_commit_stays_spent",
        ),
    ),
    Defect(
        "failed-block-refunded",
        AREA,
        "A reservation whose block fails is taken back.",
        "An error after looking at the records costs nothing.",
        edited(
            "ledger.memory",
            ("        return Entry(record, self._commit)", "        return _Refunding(record, self._commit, self)"),
            (
                "def _unpickle(key",
                "class _Refunding(Entry):\n"
                "    def __init__(self, record: Any, write: Any, ledger: Any) -> None:\n"
                "        super().__init__(record, write)\n"
                "        object.__setattr__(self, 'ledger', ledger)\n\n"
                "    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:\n"
                "        super().__exit__(kind, error, trace)\n"
                "        if kind is not None:\n"
                "            self.ledger._records.pop()\n"
                "            self.ledger._tally = Tally().plus(record.event for record in self.ledger._records)\n\n\n"
                "def _unpickle(key",
            ),
        ),
        (f"{CONTRACT}::test_exception_in_the_block_stays_spent_and_is_not_swallowed",),
    ),
    Defect(
        "entry-stays-open",
        AREA,
        "An entry is still open after it has been committed.",
        "One payment buys any number of releases.",
        edited(
            "ledger.ledger",
            (
                "            self._open = False  # first, so that an entry whose store fails below cannot be used "
                "again\n",
                "",
            ),
        ),
        (
            f"{CONTRACT}::test_entry_is_open_until_commit_or_end_of_block",
            f"{CONTRACT}::test_closed_entry_cannot_be_committed",
        ),
    ),
    Defect(
        "entry-survives-a-fork",
        AREA,
        "A forked child may use its parent's entry.",
        "Two processes release for one payment.",
        edited("ledger.ledger", ("return self._open and self._process == os.getpid()", "return self._open")),
        ("ledger/test_process_numbers.py::test_an_entry_is_closed_to_a_child_and_open_to_its_parent",),
    ),
    Defect(
        "entry-can-be-copied",
        AREA,
        "An entry can be copied and pickled.",
        "Each copy releases once for the same payment.",
        edited(
            "ledger.ledger",
            (
                "    def __reduce__(self) -> NoReturn:\n"
                '        raise LedgerFailure(f"entry={self.id}: cannot be copied or pickled, reserve in the '
                'process that releases")',
                "    def __reduce__(self) -> NoReturn:\n"
                "        return Entry, (Record(self.id, self.label, self.event, 'reserved', None), print)  # type: "
                "ignore",
            ),
        ),
        (f"{CONTRACT}::test_entry_cannot_be_copied_or_pickled",),
    ),
    Defect(
        "equal-events-counted-once",
        AREA,
        "An event that is booked again is not counted again.",
        "Repeating the same fit is free.",
        edited("ledger.tally", ("Counter(self.events) + more", "Counter(self.events) | more")),
        (f"{CONTRACT}::test_ten_tenths_fit_in_one_and_not_a_crumb_more",),
    ),
    Defect(
        "damage-not-noticed",
        AREA,
        "Rows of a ledger file are believed whatever their checksum says.",
        "A flipped bit makes a past release cheaper.",
        edited("ledger.rows", ("    if not sound:\n", "    if False:\n")),
        ("ledger/test_damage.py::test_damaged_content_is_unreadable",),
    ),
    Defect(
        "lost-entries-not-noticed",
        AREA,
        "Entries that have vanished from a ledger file are not missed.",
        "An old copy put in place of the file makes room for releases that were already paid.",
        edited(
            "ledger.rows",
            (
                "    if [row.number for row in rows] != list(range(start, start + len(rows))):\n"
                "        raise _missing()\n",
                "",
            ),
            ("    if known.entries > start - 1 + len(rows):\n        raise _missing()\n", ""),
        ),
        (
            "ledger/test_damage.py::test_ledger_that_goes_backwards_is_noticed",
            "ledger/test_damage.py::test_damaged_record_is_unreadable",
        ),
    ),
    Defect(
        "limit-widened-by-opening-again",
        AREA,
        "Opening an account with another limit changes the limit.",
        "Whoever runs out of budget opens the ledger again.",
        edited(
            "ledger.sql",
            (
                "    if unasked or asked == stored:\n        return account\n",
                "    if unasked or asked == stored:\n        return account\n"
                "    return type(account)(account.key, asked)\n",
            ),
        ),
        ("ledger/test_other_processes.py::test_nobody_changes_a_limit_by_opening_again",),
    ),
    Defect(
        "remaining-overstated",
        AREA,
        "What is left of the limit is told without what the composition of all takes.",
        "Users plan with a budget that is not there.",
        edited(
            "ledger.limits",
            (
                "epsilon = _down(limit.epsilon - _epsilon(happened, limit))\n"
                "    return Remaining(_sure_to_fit(terms, tally, epsilon), delta)",
                "epsilon = _down(limit.epsilon - _epsilon(happened, limit) / 2)\n    return Remaining(epsilon, delta)",
            ),
        ),
        (
            "ledger/test_limits.py::test_what_remains_is_never_overstated",
            f"{CONTRACT}::test_what_remains_can_be_spent_and_then_nothing_is_left",
        ),
    ),
    Defect(
        "memory-ledger-spends-anywhere",
        AREA,
        "A ledger kept in memory spends in a forked child too.",
        "The child's releases are never seen by the parent.",
        edited(
            "ledger.memory",
            ("        if self._process != os.getpid():\n            raise", "        if False:\n            raise"),
        ),
        ("ledger/test_process_numbers.py::test_a_ledger_in_memory_neither_spends_nor_reports_in_a_child",),
    ),
)
