"""Defects of accounting: what releases are said to cost, alone and together."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "accounting"

DEFECTS = (
    Defect(
        "bounded-range-concentrated-halved",
        AREA,
        "An η-bounded-range release is charged η²/16 of concentrated privacy instead of η²/8.",
        "Many votes, walks or selections are allowed together that cost twice what the ledger says.",
        edited("theory.accounting.bounded_range", ("up(eta * eta / 8,", "up(eta * eta / 16,")),
        (
            "theory/accounting/test_bounded_range.py::test_some_pair_has_the_stated_divergence",
            "theory/accounting/test_bounded_range.py::test_no_pair_has_more_divergence_than_stated",
        ),
    ),
    Defect(
        "bounded-range-steps-forgotten",
        AREA,
        "A batch of bounded-range answers is charged as one answer.",
        "A thousand votes are paid for as if they were one.",
        edited(
            "theory.events", ("return ((BoundedRange(self.eta), self.steps),)", "return ((BoundedRange(self.eta), 1),)")
        ),
        ("theory/accounting/test_events.py::test_steps_cost_what_as_many_events_cost",),
    ),
    Defect(
        "pure-steps-forgotten",
        AREA,
        "A batch of pure answers is charged as one answer.",
        "Any number of Laplace answers leaves for the price of one.",
        edited("theory.events", ("return ((Pure(self.epsilon), self.steps),)", "return ((Pure(self.epsilon), 1),)")),
        ("theory/accounting/test_events.py::test_steps_cost_what_as_many_events_cost",),
    ),
    Defect(
        "gaussian-steps-miscounted",
        AREA,
        "The privacy of Gaussian steps grows with the fourth root of their number instead of the square root.",
        "Noisy gradients and batches of Gaussian answers cost more than is booked.",
        edited("theory.events", ("self.steps**0.5", "self.steps**0.25")),
        ("theory/accounting/test_events.py::test_steps_cost_what_as_many_events_cost",),
    ),
    Defect(
        "leaks-not-added-up",
        AREA,
        "Of several (ε, δ) releases only the largest δ is counted.",
        "The chance that everything leaks grows with every release and nobody says so.",
        edited(
            "theory.accounting.parts",
            ("return min(exact_sum(deltas), up(product, ONE_STEP))", "return max(deltas, default=0.0)"),
        ),
        ("theory/accounting/test_compose.py::test_leaks_of_approximate_mechanisms_add_up",),
    ),
    Defect(
        "delta-dropped-from-composition",
        AREA,
        "The δ of an (ε, δ) release is dropped when costs are merged.",
        "Gaussian objective perturbation is booked as a pure release.",
        edited("theory.accounting.parts", ("                deltas[delta] += count\n", "")),
        ("theory/accounting/test_compose.py::test_leaks_of_approximate_mechanisms_add_up",),
    ),
    Defect(
        "gaussians-merged-by-largest",
        AREA,
        "Several Gaussian releases cost what the largest of them costs.",
        "Repeating a Gaussian release is free.",
        edited(
            "theory.accounting.parts",
            ("math.hypot(*(mu * math.sqrt(count) for mu, count in mus.items()))", "max(mus, default=0.0)"),
        ),
        ("theory/accounting/test_compose.py::test_gaussians_compose_exactly",),
    ),
    Defect(
        "concentrated-not-added",
        AREA,
        "Concentrated budgets are combined by their largest instead of their sum.",
        "Releases known by their ρ compose for free.",
        edited(
            "theory.accounting.parts",
            ("sum_or_inf(value * count for value, count in values.items())", "max(values, default=0.0)"),
        ),
        ("theory/accounting/test_compose.py::test_concentrated_budgets_add_up",),
    ),
    Defect(
        "gaussian-delta-rounded-down",
        AREA,
        "The exact δ of a Gaussian shift is rounded down instead of up.",
        "Totals stated to hold at δ do not, by a little, every time.",
        edited(
            "theory.accounting.convert",
            ("high = upper + _log_slack", "high = upper - _log_slack"),
            ("high = float(log_ndtr(here)) + _point_slack", "high = float(log_ndtr(here)) - _point_slack"),
        ),
        ("theory/accounting/test_convert.py::test_gaussian_delta_is_never_below_the_truth",),
    ),
    Defect(
        "classical-gaussian-sigma",
        AREA,
        "Gaussian noise is calibrated by √(2 ln(1.25/δ))/ε, which is not proved for ε ≥ 1.",
        "At large ε the noise is too small for the δ it is sold with.",
        edited(
            "theory.accounting.calibrate",
            (
                "    shift = greatest_within(lambda mu: delta_gaussian(epsilon, mu), delta)\n",
                "    shift = budget.epsilon / math.sqrt(2 * math.log(1.25 / delta))\n",
            ),
        ),
        ("theory/accounting/test_calibrate.py::test_gaussian_sigma_matches_published_values",),
    ),
    Defect(
        "gaussian-pure-conversion-without-epsilon-term",
        AREA,
        "The δ of a Gaussian shift is Φ(μ/2 − ε/μ) squared, which forgets its second term's weight.",
        "A δ far below the true one is stated for every Gaussian release.",
        edited(
            "theory.accounting.convert",
            (
                "curve: Array = np.exp(np.minimum(high, 0.0)) * -np.expm1(np.minimum(low - high, 0.0))",
                "curve: Array = np.exp(np.minimum(2 * high, 0.0))",
            ),
            (
                "return float(np.exp(min(high, 0.0))) * -float(np.expm1(min(low - high, 0.0)))",
                "return float(np.exp(min(2 * high, 0.0)))",
            ),
        ),
        ("theory/accounting/test_convert.py::test_gaussian_delta_is_never_below_the_truth",),
    ),
    Defect(
        "pure-delta-halved",
        AREA,
        "The δ of an ε₀-DP release at a smaller ε is half that of randomised response.",
        "Pure releases compose to less than the truth.",
        edited(
            "theory.accounting.convert",
            ("-math.expm1(epsilon - epsilon_pure) /", "-math.expm1(epsilon - epsilon_pure) / 2 /"),
        ),
        ("theory/accounting/test_convert.py::test_pure_delta_is_that_of_randomised_response",),
    ),
    Defect(
        "pure-concentrated-eighth",
        AREA,
        "A pure release is charged ε²/8 of concentrated privacy, as if it had bounded range.",
        "Many pure releases together are booked at a fraction of their price.",
        edited(
            "theory.accounting.convert",
            (
                "up(epsilon * math.tanh(epsilon / 2), ONE_STEP)",
                "up(epsilon**2 / 8, ONE_STEP)",
            ),
        ),
        ("theory/accounting/test_convert.py::test_pure_is_tanh_concentrated_and_no_better",),
    ),
    Defect(
        "random-stop-second-order-forgotten",
        AREA,
        "The price of the best of a random number of runs leaves out the second order of the theorem.",
        "A search over many runs is booked at hardly more than one run.",
        edited(
            "theory.accounting.selection",
            ("extra = (1 + stop.eta) * float(np.min(price))", "extra = 0.0 * float(np.min(price))"),
        ),
        ("theory/accounting/test_random_stop.py::test_no_small_mechanism_exceeds_the_renyi_bound",),
    ),
    Defect(
        "random-stop-pure-one-epsilon",
        AREA,
        "The pure price of a random number of runs is (1 + η)ε instead of (2 + η)ε.",
        "A geometric number of ε-DP runs costs up to 3ε and is booked as 2ε.",
        edited("theory.accounting.selection", ("return (2 + stop.eta) * epsilon", "return (1 + stop.eta) * epsilon")),
        ("theory/accounting/test_random_stop.py::test_no_small_mechanism_exceeds_the_pure_bound",),
    ),
    Defect(
        "group-delta-only-divided",
        AREA,
        "The δ of one row is the group's δ divided by the number of rows.",
        "A person with several rows is promised a δ that grows by e^ε for each of them.",
        edited(
            "theory.accounting.groups",
            ("return Budget(epsilon, _share(budget, epsilon))", "return Budget(epsilon, budget.delta / largest)"),
        ),
        ("theory/accounting/test_groups.py::test_no_group_exceeds_the_budget",),
    ),
    Defect(
        "numeric-epsilon-not-charged",
        AREA,
        "What the grid's law adds to ε is left out of the total.",
        "The rounding of Gaussian noise is paid by nobody.",
        edited(
            "theory.accounting.compose",
            (
                "    return sum_or_inf(e.epsilon_numeric * count for e,",
                "    return 0.0 * sum_or_inf(e.epsilon_numeric * count for e,",
            ),
        ),
        ("ledger/test_room.py::test_what_the_grid_adds_to_epsilon_is_charged",),
    ),
    Defect(
        "composed-event-costs-its-first-part",
        AREA,
        "An event made of several parts is booked at the price of the first.",
        "A search pays for choosing and gets the fit for nothing.",
        edited(
            "theory.events",
            (
                "    for part in event.parts:\n        yield from leaves(part)",
                "    for part in event.parts[:1]:\n        yield from leaves(part)",
            ),
        ),
        ("theory/accounting/test_events.py::test_a_composed_event_costs_what_its_parts_cost",),
    ),
    Defect(
        "cut-tails-not-leaked",
        AREA,
        "Probability that is cut off a loss law is forgotten instead of counted as leaked.",
        "A total δ can be stated below what was thrown away.",
        edited("theory.accounting.profile", ("left.leak + right.leak + cut)", "left.leak + right.leak)")),
        ("theory/accounting/test_compose.py::test_tails_that_are_cut_off_count_as_leaked",),
    ),
    Defect(
        "a-search-goes-on-where-no-double-is-between",
        AREA,
        "A search by halves goes on until its ends are close, and never asks whether a number is left between them.",
        "A ledger whose total is among the smallest doubles can never be asked again.",
        edited(
            "theory.accounting.search",
            ("low < (place := between(low, high)) < high:  # or", "(place := between(low, high)) >= 0:  # or"),
            ("low < (place := between(low, high)) < high:\n", "(place := between(low, high)) >= 0:\n"),
        ),
        ("theory/accounting/test_search_ends.py::test_every_search_ends_at_a_point_that_was_tried",),
    ),
    Defect(
        "a-crossing-believed-because-a-line-says-so",
        AREA,
        "A search along straight lines takes the point where the line crosses for one where the condition holds.",
        "Noise is calibrated at a point that nobody looked at, a little below what δ allows.",
        edited(
            "theory.accounting.search",
            (
                "    return least(lines.holds, start, lines.between)",
                "    return least(lines.holds, start, lines.between) * (1 - 1e-9)",
            ),
        ),
        ("theory/accounting/test_search_ends.py::test_lines_end_where_halves_do_and_where_the_condition_holds",),
    ),
)
