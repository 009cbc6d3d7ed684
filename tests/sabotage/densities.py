"""Defects of histogram densities and of calibration."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "densities"
DENSITY = "gate/tables/test_density.py"
CHOICE = "gate/tables/test_grid_choice.py"
RELIABILITY = "gate/tables/test_calibration.py"

DEFECTS = (
    Defect(
        "training-stability-halved",
        AREA,
        "A training record is said to move the held-out score half as far as it can.",
        "Choosing the grid costs twice its part of ε.",
        edited(
            "theory.tables.density",
            (
                "return up(4 * whole(records=records) * whole(cells=cells)",
                "return up(2 * whole(records=records) * whole(cells=cells)",
            ),
        ),
        (f"{DENSITY}::test_a_training_record_comes_near_its_bound_but_not_past_it_and_half_the_bound_is_caught",),
    ),
    Defect(
        "validation-stability-halved",
        AREA,
        "A validation record is said to move the held-out score half as far as it can.",
        "Choosing the grid costs twice its part of ε.",
        edited("theory.tables.density", ("return up(2 * whole(cells=cells))", "return up(1 * whole(cells=cells))")),
        (f"{DENSITY}::test_a_validation_record_reaches_its_bound_and_never_passes_it",),
    ),
    Defect(
        "detail-halved",
        AREA,
        "What a grid sees beyond a coarser one is said to move half as far as it can.",
        "Choosing the grid costs twice its part of ε.",
        edited(
            "theory.tables.grid_choice",
            (
                "return up(math.sqrt(2 * cells * (records + 1) / (records - 1)) / records)",
                "return up(math.sqrt(2 * cells * (records + 1) / (records - 1)) / (2 * records))",
            ),
        ),
        (
            f"{CHOICE}::test_on_every_small_table_a_record_moves_a_detail_within_its_bound",
            f"{CHOICE}::test_a_record_that_changes_over_within_a_coarse_cell_reaches_the_bound_of_a_detail",
        ),
    ),
    Defect(
        "a-move-within-a-cell-forgotten",
        AREA,
        "A record is thought to change its cell of the coarser grid only, where its two contributions are orthogonal.",
        "Within one cell it moves the detail √2 times as far: the choice costs more than its part of ε.",
        edited(
            "theory.tables.grid_choice",
            (
                "return up(math.sqrt(2 * cells * (records + 1) / (records - 1)) / records)",
                "return up(math.sqrt(cells * (records + 1) / (records - 1)) / records)",
            ),
        ),
        (
            f"{CHOICE}::test_on_every_small_table_a_record_moves_a_detail_within_its_bound",
            f"{CHOICE}::test_one_record_moves_every_duel_by_at_most_one",
        ),
    ),
    Defect(
        "duel-on-the-steadier-grid-s-scale",
        AREA,
        "Two grids are compared on the scale of the one that moves less.",
        "One record moves a duel by more than 1.",
        edited(
            "theory.tables.grid_choice", ("    reach = sum(reaches)", "    reach = min(r for r in reaches if r > 0)")
        ),
        (
            f"{CHOICE}::test_one_record_moves_every_duel_by_at_most_one",
            "theory/tables/test_grid_choice.py::test_a_duel_weighs_details_against_charges",
        ),
    ),
    Defect(
        "lead-halved",
        AREA,
        "A grid's least lead is said to move half as far as it can.",
        "Choosing the grid costs twice its part of ε.",
        edited(
            "theory.tables.grid_choice", ("    return 1 + 2.0**-46 * records", "    return 0.5 + 2.0**-46 * records")
        ),
        (
            f"{CHOICE}::test_one_record_moves_every_duel_by_at_most_one",
            f"{CHOICE}::test_the_leave_one_out_choice_keeps_its_epsilon_on_all_small_neighbours_and_catches_a_twin",
        ),
    ),
    Defect(
        "held-out-grids-on-the-coarsest-one-s-scale",
        AREA,
        "All held-out scores are said to move as little as the coarsest grid's.",
        "The finest grid's score moves many times further, and the choice costs as much more.",
        edited(
            "gate.tables.density",
            (
                "betas = np.array([constants.of_held_out(training, training, validation, cells_of(shape))",
                "betas = np.array([constants.of_held_out(training, training, validation, cells_of(plan.shapes[0]))",
            ),
        ),
        (f"{CHOICE}::test_each_held_out_score_is_compared_by_its_own_bound",),
    ),
    Defect(
        "uniform-fall-back-in-the-score",
        AREA,
        "A training part whose noisy counts are all zero is scored as uniform.",
        "The score jumps there: one record moves it further than stated.",
        edited(
            "inside.tables.density",
            (
                "    return kept / max(math.fsum(kept.tolist()), floor)",
                "    total = math.fsum(kept.tolist())\n"
                "    return kept / max(total, floor) if total > 0 else np.full_like(kept, 1 / kept.size)",
            ),
        ),
        ("gate/tables/test_density.py::test_a_uniform_fall_back_inside_the_score_is_caught",),
    ),
    Defect(
        "score-without-its-floor",
        AREA,
        "Noisy counts are divided by their sum however small it is.",
        "With few counts one record moves the score without limit.",
        edited(
            "inside.tables.density",
            (
                "    return kept / max(math.fsum(kept.tolist()), floor)",
                "    return kept / max(math.fsum(kept.tolist()), 1.0)",
            ),
        ),
        ("gate/tables/test_density.py::test_a_score_without_its_floor_is_caught",),
    ),
    Defect(
        "counts-get-all-of-epsilon",
        AREA,
        "The counts get all of ε although the grid was chosen with part of it.",
        "The release costs (1 + share)·ε.",
        edited(
            "gate.tables.density",
            ("down(epsilon * share), down(epsilon * (1 - share))", "down(epsilon * share), down(epsilon)"),
        ),
        (f"{DENSITY}::test_the_parts_never_add_up_to_more_than_epsilon",),
    ),
    Defect(
        "density-groups-pay-as-rows",
        AREA,
        "Each row of a group pays the whole ε.",
        "A person with m rows is protected m times less than stated.",
        edited(
            "gate.tables.density",
            (
                "epsilon = row_budget(Budget(budget.epsilon), largest).epsilon",
                "epsilon = row_budget(Budget(budget.epsilon), 1).epsilon",
            ),
        ),
        ("estimators/density/test_histogram_density.py::test_groups_are_protected_together",),
    ),
    Defect(
        "grid-chosen-without-noise",
        AREA,
        "The grid with the best score is taken, exactly.",
        "Which one it is tells about single records without any ε.",
        edited(
            "gate.tables.density",
            (
                "return permute_and_flip(scores, plan.score_sensitivity, plan.choice, entry, bits)",
                "return int(np.argmax(scores.reveal()))",
            ),
        ),
        ("gate/choices/test_choices_are_noisy.py::test_with_next_to_no_epsilon_every_grid_is_chosen_now_and_then",),
    ),
    Defect(
        "counts-without-noise",
        AREA,
        "Counts leave as they are.",
        "Everything about every cell is told.",
        edited("gate.tables.counts", ("return add_noise(counts, noise, event, entry, bits)", "return counts.reveal()")),
        (
            f"{DENSITY}::test_counts_leave_with_noise_of_the_planned_law",
            f"{RELIABILITY}::test_counts_leave_with_noise_of_their_law_and_half_the_noise_is_caught",
        ),
    ),
    Defect(
        "practice-noise-used-for-the-release",
        AREA,
        "The noise with which grids were tried is the noise with which the counts are released.",
        "The choice knows the noise: what was chosen tells about it.",
        edited(
            "gate.tables.density",
            ("[_practice_noise(plan, shape, bits) for", "[_practice_noise(plan, shape, type(bits)(5)) for"),
            ("Noise(final.law, final.scale * training / (training + validation), ", "Noise(final.law, final.scale, "),
            (
                "grid_counts(points, shape), noise, plan.event, entry, bits)",
                "grid_counts(points, shape), noise, plan.event, entry, type(bits)(5))",
            ),
        ),
        (f"{DENSITY}::test_the_release_uses_noise_that_the_scores_never_saw",),
    ),
    Defect(
        "squared-errors-halved",
        AREA,
        "One record is said to move the sum of squared errors by a half.",
        "The Brier score costs twice its part of ε.",
        edited(
            "theory.tables.calibration",
            ("return whole(together=together) + whole(", "return whole(together=together) / 2 + whole("),
        ),
        (f"{RELIABILITY}::test_replacing_a_row_reaches_both_sensitivities_and_never_passes_them",),
    ),
    Defect(
        "reliability-spends-epsilon-twice",
        AREA,
        "The reliability counts get all of ε and the Brier score its part on top.",
        "The release costs five quarters of what it states.",
        edited(
            "gate.tables.calibration",
            ("return down(self.budget.epsilon * (1 - BRIER_SHARE))", "return self.budget.epsilon"),
        ),
        (f"{RELIABILITY}::test_counts_and_sum_never_cost_more_than_epsilon_together",),
    ),
    Defect(
        "brier-without-noise",
        AREA,
        "The Brier score leaves without noise.",
        "With all other records known, the last one's outcome can be computed.",
        edited(
            "gate.tables.calibration",
            (
                "total = add_noise(squared_errors(forecasts), plan.sum_noise, plan.event, entry, bits)",
                "total = squared_errors(forecasts).reveal()",
            ),
        ),
        (f"{RELIABILITY}::test_the_sum_leaves_with_noise_of_its_law_and_half_the_noise_is_caught",),
    ),
    Defect(
        "forecasts-not-clipped",
        AREA,
        "Forecasts outside [0, 1] are squared as they are.",
        "One record moves the sum of squared errors without limit.",
        edited("inside.tables.calibration", ("0.5, np.clip(chance, 0.0, 1.0))", "0.5, chance)")),
        ("inside/test_small_and_large_tables.py::test_a_forecast_beyond_its_range_counts_as_its_end",),
    ),
)
