"""Defects of the searches: how rows and budgets are divided, what is booked, what is kept."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "searches"

DEFECTS = (
    Defect(
        "parts-overlap",
        AREA,
        "Each part of a split also holds the first row of the next.",
        "A row in two parts pays twice and is promised once.",
        edited(
            "estimators.search.parts",
            (
                "        return [np.sort(part) for part in np.split(order, ends[:-1])]",
                "        return [np.sort(order[max(0, end - size) : end + 1]) for size, end in zip(sizes, ends, "
                "strict=True)]",
            ),
        ),
        (
            "estimators/search/test_data_split_search.py::test_parts_are_disjoint_cover_every_row_and_know_only_how_ma"
            "ny_there_are",
        ),
    ),
    Defect(
        "groups-are-split",
        AREA,
        "Rows of one person go to several parts.",
        "A person is in the fits and in the choice, and pays for one of them.",
        edited(
            "estimators.search.parts",
            ("    if groups is None:\n        order", "    if groups is None or len(sizes) > 1:\n        order"),
        ),
        ("estimators/search/test_parts.py::test_no_group_is_ever_split_and_every_row_is_in_one_part",),
    ),
    Defect(
        "groups-pay-as-rows",
        AREA,
        "Each row of a group gets the whole budget.",
        "A person with m rows is protected m times less than the guarantee says.",
        edited(
            "theory.accounting.searches",
            ("return budget if largest is None else row_budget(budget, largest)", "return budget"),
        ),
        ("estimators/search/test_search_interface.py::test_with_groups_a_row_pays_a_share_and_the_ledger_the_whole",),
    ),
    Defect(
        "choice-booked-as-gaussian",
        AREA,
        "A search whose fits are Gaussian is booked as one Gaussian fit.",
        "The choice is not Gaussian: composed with other releases it costs more than is booked.",
        edited("theory.accounting.searches", ("    if not choosing and largest is None:", "    if largest is None:")),
        (
            "estimators/search/test_data_split_search.py::test_a_gaussian_fit_is_not_paid_for_by_a_gaussian_event_sinc"
            "e_choosing_is_not_gaussian",
        ),
    ),
    Defect(
        "gaussian-shares-not-divided",
        AREA,
        "Each of several Gaussian fits gets the whole μ.",
        "k candidates fitted on the same rows cost √k times the budget.",
        edited(
            "theory.accounting.shares",
            ("budget.delta)) / math.sqrt(count)", "budget.delta))"),
        ),
        ("estimators/search/test_budget_split_search.py::test_gaussian_shares_compose_to_the_whole_exactly",),
    ),
    Defect(
        "pure-shares-for-one-less",
        AREA,
        "The budget is divided among one fit fewer than there are.",
        "The fits together cost more than the budget.",
        edited(
            "theory.accounting.shares",
            (
                "    plain = budget.epsilon / count\n",
                "    count = max(1, count - 1)\n    plain = budget.epsilon / count\n",
            ),
        ),
        (
            "estimators/search/test_budget_split_search.py::test_pure_shares_of_the_worst_releases_stay_within_the_bud"
            "get_exactly",
        ),
    ),
    Defect(
        "underived-share-not-checked",
        AREA,
        "A share that no theorem gives is used without asking the accountant.",
        "The fits together may cost more than the budget.",
        edited(
            "theory.accounting.shares",
            ("return total_spent(events, self.total.delta).epsilon <= self.total.epsilon", "return True"),
        ),
        (
            "estimators/search/test_budget_split_search.py::test_a_share_that_nobody_derived_is_checked_by_the_accountant",
        ),
    ),
    Defect(
        "number-of-runs-told",
        AREA,
        "The search keeps the number of runs it made.",
        "The proof lets the best run leave, not how many there were.",
        edited(
            "estimators.search.random_stop_search",
            (
                "                found = best_of(plan, run, entry, bits)\n            if found is None",
                "                ran: list[int] = []\n                self.n_runs_ = ran\n"
                "                found = best_of(plan, lambda: (ran.append(1), run())[1], entry, bits)\n"
                "            if found is None",
            ),
        ),
        ("estimators/search/test_random_stop_search.py::test_nothing_fitted_tells_how_many_runs_there_were",),
    ),
    Defect(
        "search-debited-after-the-fits",
        AREA,
        "A search debits once it is done.",
        "An exhausted budget is noticed after all the records have been looked at.",
        edited(
            "estimators.search.data_split_search",
            (
                "        with taken.account.reserve(event, label=type(self).__name__, neighbours=taken.neighbours)"
                " as entry, unseen():",
                "        from equipoise.ledger import Ledger\n\n"
                "        with Ledger().reserve(event, label=type(self).__name__) as entry:",
            ),
            (
                "            entry.commit()\n",
                "            entry.commit()\n"
                "        taken.account.reserve(event, label=type(self).__name__).commit()\n",
            ),
        ),
        (
            "estimators/search/test_data_split_search.py::test_an_exhausted_budget_stops_the_search_before_it_starts",
            "estimators/test_debit_before_looking.py::test_records_enter_after_the_debit_and_a_crash_stays_paid",
        ),
    ),
    Defect(
        "oracle-sold-as-private",
        AREA,
        "The search that looks without noise states the guarantee of its fit.",
        "A choice without any privacy carries a finite ε.",
        edited("estimators.search.oracle_search", ("        epsilon=math.inf,\n", "        epsilon=fitted.epsilon,\n")),
        ("estimators/search/test_oracle_search.py::test_the_oracles_guarantee_says_not_private",),
    ),
)
