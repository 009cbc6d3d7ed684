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
                "    with account.reserve(plan.event, label=label, neighbours=plan.facts.neighbours)"
                " as entry, unseen():\n"
                "        with after_the_debit():\n"
                "            records, settled, found = first(enter(entry), plan, entry, bits)\n"
                "            released = MECHANISMS[plan.mechanism].release(records, settled, entry, bits)\n",
                "    with Ledger().reserve(plan.event, label=label) as paid:\n"
                "        records, settled, found = first(enter(paid), plan, paid, bits)\n"
                "        released = MECHANISMS[plan.mechanism].release(records, settled, paid, bits)\n"
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
        edited("theory.accounting.filters", ("SLACK = 1e-12", "SLACK = 1e-3")),
        ("contracts/test_ledger_contract.py::test_ten_tenths_fit_in_one_and_not_a_crumb_more",),
    ),
    Defect(
        "slack-granted-to-every-entry",
        AREA,
        "The last total is compared with the limit instead of the total that the new release would make.",
        "One release too many is always accepted.",
        edited(
            "ledger.limits",
            ("    opening, later = _parts(terms, tally.plus([new]))\n", "    opening, later = _parts(terms, tally)\n"),
        ),
        (f"{CONTRACT}::test_refused_reservation_records_nothing_and_a_smaller_one_still_fits",),
    ),
    Defect(
        "delta-not-limited",
        AREA,
        "The δ that releases claim is not compared with the limit's.",
        "Any number of (ε, δ) releases fit as far as δ goes.",
        edited(
            "theory.accounting.filters",
            ("return self.claimed <= self.claimable * (1 + Fraction(SLACK))", "return True"),
        ),
        (
            f"{CONTRACT}::test_deltas_alone_can_exhaust_the_limit",
            "ledger/test_adaptive_prices.py::test_deltas_add_up_exactly_whatever_their_epsilons",
        ),
    ),
    Defect(
        "only-commits-are-counted",
        AREA,
        "A reservation counts once it is committed, not from the start.",
        "A crash between looking and committing is free, and threads overspend together.",
        edited(
            "ledger.memory",
            ("            self._tally = self._tally.plus([charged])\n", ""),
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
        edited("ledger.tally", ("Counter(self.later) + Counter(more)", "Counter(self.later) | Counter(more)")),
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
                "        asked.refuse_other(account.terms)\n        return account\n",
                "        return type(account)(account.key, asked.terms())\n",
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
                "return found.affordable and found.epsilon <= limit.epsilon",
                "return found.affordable and found.epsilon / 2 <= limit.epsilon",
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
    Defect(
        "limit-by-the-exact-curve",
        AREA,
        "Prices chosen as one goes are composed by the exact curve.",
        "Choosing the next price by what was seen makes δ several times the limit's.",
        edited(
            "ledger.limits",
            ("if tally.opening is None or terms.prices is Prices.FIXED:", "if True:"),
        ),
        ("ledger/test_adaptive_prices.py::test_no_adaptive_strategy_exceeds_the_limit",),
    ),
    Defect(
        "every-reservation-an-opening",
        AREA,
        "The order and the shares are set anew by what has happened: each kind of release gets all of δ.",
        "The alternatives of a filter are paid for once instead of once each.",
        edited(
            "theory.accounting.filters",
            (
                "Shares(Fraction(3, 8), Fraction(1, 8), Fraction(1, 8), Fraction(3, 8))",
                "Shares(Fraction(1), Fraction(1), Fraction(1), Fraction(1))",
            ),
        ),
        ("ledger/test_adaptive_prices.py::test_shares_of_delta_add_up_to_one",),
    ),
    Defect(
        "smooth-releases-cost-no-delta-in-the-sums",
        AREA,
        "Gaussian releases enter the sums at a share of δ that is never counted.",
        "Any number of Gaussian releases is converted at a 64th of δ each.",
        edited(
            "theory.accounting.filters",
            ("    if sum(smooth.values()) * _EACH > shares.smooth:\n        return math.inf\n", ""),
        ),
        ("ledger/test_adaptive_prices.py::test_the_sums_take_no_more_smooth_releases_than_their_share_pays_for",),
    ),
    Defect(
        "leaks-of-the-opening-forgotten",
        AREA,
        "What the opening claims of δ is given out again to what follows.",
        "δ is spent twice.",
        edited("theory.accounting.filters", ("max(Fraction(0), whole - claimed)", "whole")),
        ("ledger/test_adaptive_prices.py::test_the_limit_on_delta_is_sharp_at_every_size",),
    ),
    Defect(
        "delta-within-a-billionth",
        AREA,
        "Claims on δ are compared with an absolute tolerance of 1e-9.",
        "Limits of 1e-9 and below do not limit δ at all.",
        edited(
            "theory.accounting.filters",
            (
                "return self.claimed <= self.claimable * (1 + Fraction(SLACK))",
                "return self.claimed <= self.claimable + Fraction(1e-9)",
            ),
        ),
        (
            "ledger/test_adaptive_prices.py::test_the_limit_on_delta_is_sharp_at_every_size",
            "ledger/test_adaptive_prices.py::test_deltas_add_up_exactly_whatever_their_epsilons",
        ),
    ),
    Defect(
        "equal-deltas-counted-once",
        AREA,
        "Of (ε, δ) releases with the same δ and different ε one is counted.",
        "δ is free as long as ε varies.",
        edited("theory.accounting.filters", ("deltas[cost.delta] += times", "deltas[cost.delta] = times")),
        ("ledger/test_adaptive_prices.py::test_deltas_add_up_exactly_whatever_their_epsilons",),
    ),
    Defect(
        "moments-of-one-step",
        AREA,
        "Equal releases add one divergence to the moments, however often they were made.",
        "k answers one by one cost as much as one.",
        edited(
            "theory.accounting.filters",
            ("times * _divergence(cost, step) for cost, times", "_divergence(cost, step) for cost, _"),
        ),
        (
            "ledger/test_one_promise.py::test_k_votes_cost_more_than_one",
            "ledger/test_adaptive_prices.py::test_no_adaptive_strategy_exceeds_the_limit",
        ),
    ),
    Defect(
        "checked-before-the-lock",
        AREA,
        "A ledger in memory checks the limit before it takes the lock.",
        "Threads that look at the same moment overspend together.",
        edited(
            "ledger.memory",
            (
                "        with self._lock:\n            limits.refuse_over(self._terms, self._tally, charged)\n",
                "        limits.refuse_over(self._terms, self._tally, charged)\n        with self._lock:\n",
            ),
        ),
        ("ledger/test_one_promise.py::test_threads_that_check_at_leisure_still_cannot_overspend",),
    ),
    Defect(
        "neighbours-ignored",
        AREA,
        "An event is counted as it was planned, whatever the account is about.",
        "Releases for added rows cost half their price where rows are replaced.",
        edited(
            "theory.accounting.neighbours",
            ("    if planned.adjacency is account.adjacency:\n", "    if True:\n"),
        ),
        ("ledger/test_one_promise.py::test_added_rows_cost_twice_where_rows_are_replaced",),
    ),
    Defect(
        "added-rows-inserted-at-half-price",
        AREA,
        "A replace-one event is taken into an add-remove account.",
        "A release that prints the number of rows costs nothing.",
        edited(
            "theory.accounting.neighbours", ("    if account.adjacency is Adjacency.ADD_REMOVE:\n", "    if False:\n")
        ),
        ("ledger/test_one_promise.py::test_an_account_about_added_rows_refuses_replaced_ones",),
    ),
    Defect(
        "rows-taken-for-persons",
        AREA,
        "A release that protects rows is booked in an account that protects persons.",
        "A person with many rows is promised what nobody kept.",
        edited(
            "theory.accounting.neighbours",
            ("    if planned.unit is Unit.ROW and account.unit is Unit.PERSON:\n", "    if False:\n"),
        ),
        ("ledger/test_one_promise.py::test_an_account_about_persons_refuses_rows",),
    ),
    Defect(
        "two-steps-leak-twice",
        AREA,
        "A replaced row is charged 2δ instead of δ(1 + e^ε).",
        "At ε = 3 the true δ is ten times as large.",
        edited(
            "theory.accounting.neighbours",
            ("leak * (1 + math.exp(min(epsilon, 700.0)))", "leak * 2"),
        ),
        ("theory/accounting/test_neighbours.py::test_some_chain_of_two_steps_leaks_all_that_is_charged",),
    ),
    Defect(
        "concentrated-doubled-for-two-steps",
        AREA,
        "Two steps cost 2ρ of concentrated privacy instead of 4ρ.",
        "Releases for added rows are booked at half their price where rows are replaced.",
        edited(
            "theory.accounting.neighbours", ("ConcentratedRelease(4 * event.rho", "ConcentratedRelease(2 * event.rho")
        ),
        ("theory/accounting/test_neighbours.py::test_no_chain_of_two_steps_has_more_divergence_than_is_charged",),
    ),
    Defect(
        "missing-account-made-in-silence",
        AREA,
        "Opening an account that does not exist makes one without limit.",
        "A slip in a name removes the limit.",
        edited("ledger.sql", ("    if not asked.creates:\n", "    if False:\n")),
        ("ledger/test_making_and_opening.py::test_a_slip_in_the_name_is_an_error_and_makes_no_account",),
    ),
    Defect(
        "missing-file-made-in-silence",
        AREA,
        "Opening a ledger file that does not exist makes one.",
        "Another folder is another budget.",
        edited("ledger.database", ("            if not create:\n", "            if False:\n")),
        ("ledger/test_making_and_opening.py::test_a_path_that_does_not_exist_is_an_error_and_leaves_nothing",),
    ),
    Defect(
        "old-entries-at-face-value",
        AREA,
        "Entries that noted no neighbours are read as replace-one.",
        "Old releases for added rows are counted at half their price.",
        edited("ledger.rows", ("return Neighbours(Adjacency.ADD_REMOVE)", "return Neighbours(Adjacency.REPLACE_ONE)")),
        ("ledger/test_making_and_opening.py::test_an_old_ledger_stays_readable_and_takes_the_dearer_reading",),
    ),
)
