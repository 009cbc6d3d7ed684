"""Defects of private selection."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "selection"
SELECT = "gate/choices/test_select.py"
STOP = "gate/choices/test_stop.py"

DEFECTS = (
    Defect(
        "selection-rate-doubled",
        AREA,
        "The coins of permute-and-flip fall at ε(q* − q)/Δ instead of half that rate.",
        "Every private choice costs 2ε.",
        edited(
            "gate.noise.choice", ("Fraction(self.epsilon) / (2 * self.moved)", "Fraction(self.epsilon) / self.moved")
        ),
        (
            f"{SELECT}::test_neighbours_come_near_epsilon_but_not_past_it_and_catch_a_twin",
            f"{SELECT}::test_draws_follow_the_exact_law",
        ),
    ),
    Defect(
        "scores-grid-not-paid",
        AREA,
        "Rounding of scores to their grid is left out of how far they move.",
        "Two neighbours' scores may be a step further apart than the coins allow for.",
        edited("gate.choices.select", ("Fraction(grid.step)) + 2", "Fraction(grid.step))")),
        (
            "gate/choices/test_choices_are_noisy.py::test_scores_a_sensitivity_apart_are_no_more_steps_apart_than_the_coins_allow",
        ),
    ),
    Defect(
        "candidates-in-a-fixed-order",
        AREA,
        "Candidates are tried in their order instead of a random one.",
        "The first good one is chosen too often: the law is not that of the theorem.",
        edited(
            "gate.noise.choice",
            (
                '        order = np.argsort(keys, kind="stable")\n',
                "        order = np.arange(count)\n        keys = order\n",
            ),
        ),
        (f"{SELECT}::test_orders_are_uniform", f"{SELECT}::test_draws_follow_the_exact_law"),
    ),
    Defect(
        "choice-not-paid",
        AREA,
        "A private choice does not ask for an entry that pays for it.",
        "Choosing is free.",
        edited(
            "gate.door",
            ("if not entry.open or not covers_choice(entry.event, event):", "if entry.event == 0:"),
        ),
        (f"{SELECT}::test_no_choice_without_an_open_entry_that_pays_for_it",),
    ),
    Defect(
        "choice-without-noise",
        AREA,
        "The candidate with the best score is chosen, always.",
        "Which one it is tells about single records without any ε.",
        edited(
            "gate.noise.choice",
            (
                "    return int(order[np.argmax(coins.flip(order, bits))])",
                "    return int(np.argmin([float(each) for each in coins.exponents]))",
            ),
        ),
        (f"{SELECT}::test_draws_follow_the_exact_law",),
    ),
    Defect(
        "score-cap-not-applied",
        AREA,
        "The loss of a record is not clipped before losses are averaged.",
        "One record can move a candidate's score without limit.",
        edited(
            "inside.scores.of_linear_models",
            (
                "clipped = np.clip(np.nan_to_num(each, nan=cap, posinf=cap), 0.0, cap)",
                "clipped = np.nan_to_num(each, nan=cap, posinf=cap)",
            ),
        ),
        (
            "estimators/search/test_data_split_search.py::test_no_record_moves_a_mean_loss_by_more_than_its_share_of_the_cap",
        ),
    ),
    Defect(
        "own-score-not-clipped",
        AREA,
        "A score of the caller's own is not clipped to [0, 1].",
        "One record can move the mean score without limit.",
        edited(
            "inside.scores.of_any_model",
            (
                "np.clip(np.nan_to_num(each, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)",
                "np.nan_to_num(each, nan=0.0, posinf=1.0, neginf=0.0)",
            ),
        ),
        ("inside/scores/test_mean_scores.py::test_a_wild_record_moves_the_mean_by_its_share_at_most",),
    ),
    Defect(
        "number-of-runs-fixed",
        AREA,
        "The number of runs is always its most likely value.",
        "The theorem needs it to be random: the best of a fixed number of runs costs far more.",
        edited(
            "gate.choices.stop",
            (
                "        return self.fewest + (place if place < len(self.ends) else 0)",
                "        return max(1, self.most // 2)",
            ),
        ),
        (f"{STOP}::test_draws_follow_the_table",),
    ),
    Defect(
        "score-noise-halved",
        AREA,
        "Noise on scores is half of what hides a record.",
        "Rows that are only scored are protected half as well as rows that are fitted.",
        edited(
            "gate.choices.stop",
            (
                "math.ceil(self.moved / Fraction(self.hides.epsilon))",
                "math.ceil(self.moved / Fraction(self.hides.epsilon) / 2)",
            ),
        ),
        (
            f"{STOP}::test_score_noise_hides_a_record_exactly_and_half_of_it_would_not",
            f"{STOP}::test_score_noise_has_the_spread_it_states",
        ),
    ),
    Defect(
        "private-score-opened-bare",
        AREA,
        "A private score for which no noise was planned is compared as it is.",
        "Which run wins is an exact function of the kept rows.",
        edited(
            "gate.choices.stop",
            (
                '        raise LedgerFailure("runs: a score of private rows needs noise and none was planned, '
                'nothing was released")\n',
                "        return float(score.reveal()[0])\n",
            ),
        ),
        (f"{STOP}::test_a_private_score_is_never_opened_without_noise",),
    ),
    Defect(
        "poisson-forgets-no-run",
        AREA,
        "The price of a Poisson number of runs leaves out the chance that there is none.",
        "For means below one the stated divergence is below the true one.",
        edited(
            "theory.accounting.selection",
            (
                "total = np.logaddexp(-stop.mean, math.log(stop.mean) + steps * grown)",
                "total = math.log(stop.mean) + steps * grown",
            ),
        ),
        ("theory/accounting/test_random_stop.py::test_no_small_mechanism_exceeds_the_renyi_bound",),
    ),
)
