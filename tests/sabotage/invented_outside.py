"""Defects made up by reading the source, before looking at the tests: ledgers, estimators and what is told."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "by reading: ledgers, estimators and files"

DEFECTS = (
    Defect(
        "entry-open-after-its-store-failed",
        AREA,
        "An entry is closed only after its store has taken the commit.",
        "After a failed write one payment allows a second release.",
        edited(
            "ledger.ledger",
            ("self._open = False  # first, so that", "self._write(self.id)  # so that"),
            ("            self._write(self.id)\n\n", "            self._open = False\n\n"),
        ),
        ("ledger/test_damage.py::test_failed_commit_closes_the_entry_and_leaves_it_spent",),
    ),
    Defect(
        "account-taken-at-its-key",
        AREA,
        "An open handle does not compare the account's terms again.",
        "A limit changed behind its back goes unnoticed.",
        edited(
            "ledger.rows",
            ("if row is None or _account(row) != account:", "if row is None:"),
        ),
        ("ledger/test_damage.py::test_limit_changed_behind_our_back_is_noticed",),
    ),
    Defect(
        "queries-left-of-an-untouched-ledger",
        AREA,
        "How many answers are left is counted as if nothing had been spent.",
        "Callers are led past the limit, and refused.",
        edited(
            "ledger.limits",
            ("(middle, many) if fits(terms, tally, ", "(middle, many) if fits(terms, Tally(), "),
        ),
        ("ledger/test_room.py::test_the_most_answers_fit_and_one_more_does_not",),
    ),
    Defect(
        "error-of-the-intercept-in-other-units",
        AREA,
        "The intercept's standard error stays in the units of its column.",
        "Its intervals are half or twice as wide as they say.",
        edited(
            "estimators.linear.errors",
            ("        units[-1] *= bounds.intercept\n", "        units[-1] *= 1.0\n"),
        ),
        (
            "estimators/linear/test_uncertainty.py::test_units_are_those_of_the_labels",
            "estimators/linear/test_uncertainty.py::test_spread_of_many_fits_is_the_standard_error",
        ),
    ),
    Defect(
        "walks-state-the-noise-of-their-last-step",
        AREA,
        "The error of a walk is that of the noise of one step.",
        "Intervals say that noise is signal.",
        edited(
            "gate.models.noisy_gradients",
            ("np.sum((sizes * on_flat_ground(schedule)) ** 2)", "np.max((sizes * on_flat_ground(schedule)) ** 2)"),
        ),
        ("estimators/linear/test_noise_intervals.py::test_intervals_hold_the_same_fit_without_noise",),
    ),
    Defect(
        "tilt-stated-per-record",
        AREA,
        "The error of a tilted problem leaves the ridge out.",
        "Intervals say that noise is signal.",
        edited(
            "theory.pushes",
            ("plan.tilt.rms / (plan.facts.n * plan.facts.penalty.strong_convexity)", "plan.tilt.rms / plan.facts.n"),
        ),
        ("estimators/linear/test_noise_intervals.py::test_intervals_hold_the_same_fit_without_noise",),
    ),
    Defect(
        "centre-in-units-of-the-labels",
        AREA,
        "A published model is taken as centre without the scaling of the labels.",
        "The fit is pulled to another model, and the norm bound speaks of that one.",
        edited(
            "estimators.linear.given",
            ("for number in (rows / bounds.label_scale).ravel()", "for number in rows.ravel()"),
        ),
        (
            "estimators/linear/test_centre_and_adjacency.py::test_a_strong_ridge_returns_the_centre_in_the_callers_units",
        ),
    ),
    Defect(
        "errors-of-a-model-chosen-for-its-noise",
        AREA,
        "A model that won because of its noise keeps its standard errors.",
        "Its intervals do not cover.",
        edited(
            "estimators.search.base",
            ("            model = replace(model, uncertainty=None)\n", "            pass\n"),
        ),
        ("estimators/search/test_search_interface.py::test_standard_errors_are_told_only_where_the_noise_had_no_say",),
    ),
    Defect(
        "answers-of-an-earlier-fit",
        AREA,
        "A predictor that is fitted again keeps its memory of answers.",
        "Questions are answered from the earlier table, for nothing.",
        edited(
            "estimators.answer.protocol",
            ("asked = Asked(", 'asked = vars(self)["_state"].asked if "_state" in vars(self) else Asked('),
        ),
        ("estimators/test_fitting_again.py::test_a_predictor_that_is_fitted_again_forgets_its_answers",),
    ),
    Defect(
        "unit-stays-the-row",
        AREA,
        "A search with groups says that its unit is one row.",
        "The card promises another thing than what was paid for.",
        edited(
            "estimators.search.base",
            (
                "return replace(guarantee, unit=groups.unit, constants=constants)",
                "return replace(guarantee, constants=constants)",
            ),
        ),
        ("estimators/search/test_search_interface.py::test_the_unit_is_the_row_unless_groups_are_given",),
    ),
    Defect(
        "middle-of-columns-added",
        AREA,
        "The middles of bounded columns are added to the intercept.",
        "Every prediction is shifted.",
        edited(
            "estimators.linear.base",
            (
                "return coef, intercept - coef @ np.array(bounds.column_centres)",
                "return coef, intercept + coef @ np.array(bounds.column_centres)",
            ),
        ),
        ("estimators/linear/test_column_bounds.py::test_coefficients_come_back_in_the_columns_own_units",),
    ),
    Defect(
        "numeric-delta-of-a-row-for-a-group",
        AREA,
        "For a group the numeric δ of one row is stated.",
        "What arithmetic adds to δ is understated.",
        edited(
            "theory.accounting.searches",
            (
                "numeric *= up(math.expm1(min(budget.epsilon, 700.0)) / math.expm1(min(row, 700.0)), FORMULA)",
                "numeric *= up(1.0, FORMULA)",
            ),
        ),
        ("estimators/search/test_charges.py",),
    ),
    Defect(
        "answers-given-before-cost-nothing",
        AREA,
        "A student's guarantee leaves out answers that were paid for earlier.",
        "It promises less than was told.",
        edited(
            "estimators.answer.transfer",
            ("every = known > 0 or consensus", "every = consensus"),
        ),
        (
            "estimators/answer/test_transfer.py::test_labels_paid_for_earlier_count_in_the_guarantee_though_they_cost_nothing_now",
        ),
    ),
    Defect(
        "notes-lost-on-saving",
        AREA,
        "A saved guarantee has no notes.",
        "What a fit confessed is gone from the card.",
        edited(
            "outside.fields",
            ('"notes": list(guarantee.notes),', '"notes": [],'),
        ),
        ("outside/test_nothing_is_lost_on_disk.py::test_a_guarantee_comes_back_with_its",),
    ),
    Defect(
        "unit-lost-on-saving",
        AREA,
        "A saved guarantee speaks of one row.",
        "A promise to a person is passed on as one to a row.",
        edited(
            "outside.fields",
            (
                '"adjacency": str(guarantee.adjacency),',
                '"adjacency": str(guarantee.adjacency),\n        "unit": "one row",',
            ),
        ),
        ("outside/test_nothing_is_lost_on_disk.py::test_a_guarantee_comes_back_with_its",),
    ),
    Defect(
        "card-without-notes",
        AREA,
        "The card gives the model's reasons and not the guarantee's notes.",
        "Raised ridges, clipped labels and observed classes go unsaid.",
        edited(
            "outside.card",
            ("tuple(dict.fromkeys((*self.why, *self.guarantee.notes)))", "tuple(dict.fromkeys(self.why))"),
        ),
        ("outside/test_nothing_is_lost_on_disk.py::test_every_note_and_reason_is_on_the_card",),
    ),
    Defect(
        "card-without-numeric-delta",
        AREA,
        "The card's bounds on attackers leave the numeric δ out.",
        "They are too small.",
        edited(
            "outside.card",
            (
                "return min(delta_of(self.guarantee) + self.guarantee.delta_numeric, math.nextafter(1.0, 0.0))",
                "return delta_of(self.guarantee)",
            ),
        ),
        ("outside/test_card.py::test_attacker_bound_counts_the_numeric_delta",),
    ),
    Defect(
        "intervals-of-a-smaller-sphere",
        AREA,
        "Quantiles of spherical noise are divided by another dimension's deviation.",
        "Intervals are too narrow.",
        edited(
            "outside.uncertainty",
            (
                "_spherical_quantile(dim, float(level)) / math.sqrt(dim + 1)",
                "_spherical_quantile(dim, float(level)) / math.sqrt(dim + 3)",
            ),
        ),
        ("outside/test_uncertainty.py::test_spherical_quantile_leaves_the_asked_share_outside",),
    ),
    Defect(
        "heights-of-a-unit-box",
        AREA,
        "A density's heights ignore the volume of its box.",
        "Every value of pdf is wrong outside the unit box.",
        edited(
            "outside.density.released_density",
            ("self.mass * (self.mass.size / self.box.volume)", "self.mass * self.mass.size"),
        ),
        ("outside/density/test_released_density.py::test_the_density_is_constant_within_cells_and_zero_outside",),
    ),
    Defect(
        "curve-intervals-spend-the-chance-twice",
        AREA,
        "Sampling is given all of the chance that it shares with the noise.",
        "Intervals of a noisy curve are too narrow.",
        edited(
            "outside.calibration",
            (
                "    chance = (1 - brier.level) / (2 if reach > 0 else 1)\n    low, high",
                "    chance = 1 - brier.level\n    low, high",
            ),
        ),
        ("gate/tables/test_calibration.py::test_a_noisy_curve_leaves_half_of_the_chance_to_the_noise",),
    ),
    Defect(
        "shrinkage-past-the-guess",
        AREA,
        "Slopes are shrunk past the guess where noise exceeds them.",
        "Noisy models change their sign.",
        edited(
            "outside.shrinkage",
            (
                "return max(0.0, 1 - strength / distance) if distance > 0 else 0.0",
                "return 1 - strength / distance if distance > 0 else 0.0",
            ),
        ),
        ("outside/test_uncertainty.py::test_factor_is_that_of_james_and_stein",),
    ),
)
