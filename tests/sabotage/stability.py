"""Defects of the catalogue of stable algorithms, and of the releases that rest on a stated stability."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "stability"
STEPS = "theory/stability/test_gradient_steps.py::"
ENDS = "theory/stability/test_minimisers.py::"
WALKS = "gate/models/test_stable_sgd.py::"
PEELS = "estimators/select/test_peeling_selector.py::"
SWINGS = "gate/models/test_momentum.py::"
STATED = "estimators/stated/test_output_perturbed.py::"
OTHERS = "theory/stability/test_variants.py::"

DEFECTS = (
    Defect(
        "catalogue-lemma-halved",
        AREA,
        "The catalogue's bound for minimisers is half of Lemma A.",
        "Noise scaled to it costs twice the ε stated.",
        edited("theory.stability.minimisers", ("return 2 * positive(lipschitz", "return positive(lipschitz")),
        (f"{ENDS}test_linear_losses_attain_the_bound_of_regularised_minimisers",),
    ),
    Defect(
        "ranking-as-one-record",
        AREA,
        "A record is taken to be in 1/n of all pairs.",
        "Ranking gets half the noise.",
        edited("theory.stability.minimisers", ("value = 2 * _lemma_a(pair", "value = _lemma_a(pair")),
        (f"{ENDS}test_pairs_attain_the_bound_of_ranking",),
    ),
    Defect(
        "bridge-without-its-box",
        AREA,
        "The bridge penalty is taken to be as convex far out as at distance one.",
        "For powers below two minimisers move further than stated.",
        edited("theory.stability.minimisers", ("* reach ** (p - 2)", "")),
        (
            f"{ENDS}test_no_neighbours_pass_the_bound_of_bridge_regression",
            f"{ENDS}test_the_bound_of_bridge_regression_knows_its_box",
        ),
    ),
    Defect(
        "passes-forgotten",
        AREA,
        "A record is charged for one pass, however many there are.",
        "k passes cost k times the ε stated.",
        edited("theory.stability.gradient_steps", ("value = whole(passes=passes) * _diam", "value = _diam")),
        (f"{STEPS}test_the_worst_place_attains_the_bound_and_never_passes_it",),
    ),
    Defect(
        "average-of-iterates-halved-too-far",
        AREA,
        "The average of iterates is said to move by half of the last one.",
        "A record in the first place moves it further: by (k + 1)/(2k).",
        edited("theory.stability.gradient_steps", ("* (passes + 1) / (2 * passes)", "/ 2")),
        (f"{STEPS}test_the_worst_place_attains_the_bound_and_never_passes_it",),
    ),
    Defect(
        "steps-of-any-length",
        AREA,
        "A step longer than two over the smoothness is not refused.",
        "Such steps drive points apart, and the bound does not hold.",
        edited("theory.stability.gradient_steps", ("(step_size=step) > most", "(step_size=step) > 1e9 * most")),
        (f"{STEPS}test_a_step_longer_than_the_limit_is_refused_with_the_limit",),
    ),
    Defect(
        "masked-gradients-granted",
        AREA,
        "Dropout by masked gradients is granted as it is printed.",
        "Such steps expand, the noise does not cover them.",
        edited("theory.stability.variants", ('masks=masks) == "gradients"', 'masks=masks) == "neither"')),
        (f"{STEPS}test_masked_features_shrink_the_bound_and_masked_gradients_are_refused",),
    ),
    Defect(
        "momentum-on-any-loss",
        AREA,
        "Bounds for quadratic losses are granted to every loss.",
        "Momentum can grow exponentially on others.",
        edited("theory.stability.variants", ("    if quadratic is not True:", "    if quadratic == 2:")),
        (f"{OTHERS}test_momentum_without_quadratic_losses_is_refused",),
    ),
    Defect(
        "an-average-taken-for-the-worst-case",
        AREA,
        "A bound that holds on average is used for noise.",
        "The worst pair of neighbours moves further, by any factor.",
        edited(
            "theory.stability.bound",
            ("        return self not in (Kind.WEIGHTS_ON_AVERAGE, Kind.LOSS_ON_AVERAGE)", "        return True"),
        ),
        (
            f"{ENDS}test_an_average_is_no_ground_for_anything",
            f"{OTHERS}test_averages_are_refused_as_a_ground_for_noise",
        ),
    ),
    Defect(
        "uniform-stability-without-a-minimiser",
        AREA,
        "Uniform stability of a loss is converted for any algorithm.",
        "Coefficients can move without bound while no loss does.",
        edited("theory.stability.conversions", ("if exact_minimiser is not True:", "if exact_minimiser is None:")),
        (f"{ENDS}test_a_steady_loss_says_nothing_of_what_is_not_a_minimiser",),
    ),
    Defect(
        "a-gap-taken-for-a-distance",
        AREA,
        "A gap in the objective is taken for the distance from the minimiser, once and without its root.",
        "A solver that stops early moves further than the noise covers.",
        edited("theory.stability.conversions", ("2 * math.sqrt(2 * not_negative(gap=gap) / mu)", "gap")),
        (f"{ENDS}test_a_gap_in_the_objective_adds_twice_its_distance",),
    ),
    Defect(
        "a-claim-for-one-row-of-a-person",
        AREA,
        "A stated stability is used for a person as for a row.",
        "A person with k rows is protected k times less than stated.",
        edited("gate.models.stated_stability", ("else stated.for_rows(person_rows)", "else stated.for_rows(1)")),
        (f"{STATED}test_persons_pay_for_every_row",),
    ),
    Defect(
        "a-claim-halved",
        AREA,
        "Noise is scaled to half of what the caller states.",
        "The promise is off by a factor of two in ε.",
        edited("gate.models.stated_stability", ("moved = together.weights_l2()", "moved = together.weights_l2() / 2")),
        (f"{STATED}test_with_frozen_noise_neighbours_differ_as_their_fits_do_and_the_noise_is_for_that_difference",),
    ),
    Defect(
        "a-class-may-be-missing",
        AREA,
        "No rows of zeros stand for the classes.",
        "A table with one class ends in zeros, its neighbour far from them: both are told apart with certainty.",
        edited("inside.stated.coefficients", ("    if not form.classes:\n", "    if form.size:\n")),
        (f"{STATED}test_a_class_that_no_record_has_is_no_failure",),
    ),
    Defect(
        "a-strangers-rows-unclipped",
        AREA,
        "Rows reach a stranger's fit as they are.",
        "A row of any length moves the coefficients further than the claim about rows within bounds.",
        edited("inside.stated.coefficients", ("coefficients(_clipped(X, row_norm), ", "coefficients(X, ")),
        (f"{STATED}test_rows_and_labels_beyond_their_bounds_are_brought_within",),
    ),
    Defect(
        "a-false-claim-is-not-tried",
        AREA,
        "Made-up neighbours are not compared with what the caller states.",
        "A claim that ten lines refute is printed on a card.",
        edited("inside.stated.rehearsal", ("return moved > up(stated, WELL_CLEAR)", "return moved > 1e9 * stated")),
        (f"{STATED}test_a_claim_that_cannot_carry_noise_is_refused_and_costs_nothing",),
    ),
    Defect(
        "what-is-no-number-is-released",
        AREA,
        "Coefficients that are not finite are passed on instead of counting as zeros.",
        "The door raises on one of two neighbours, which tells them apart.",
        edited("inside.stated.coefficients", ("if not np.isfinite(vector).all():", "if vector.size == 0:")),
        (f"{STATED}test_a_failed_fit_is_zeros_with_noise_and_nothing_is_told",),
    ),
    Defect(
        "the-source-of-a-claim-is-not-named",
        AREA,
        "The card does not say that the stability is the caller's word.",
        "A reader takes an unproved number for a proved one.",
        edited("gate.models.stated_stability", ("notes = (word_of(stated),) if", "notes = () if")),
        (f"{STATED}test_the_card_names_the_caller_as_the_source",),
    ),
    Defect(
        "walk-charged-for-records-it-left-out",
        AREA,
        "Gradient steps are charged as if the records of a short batch had been used.",
        "The others move the end further than the noise hides.",
        edited(
            "theory.stability.descents",
            ("return self.batch * self.per_pass\n", "return self.batch * (self.per_pass + 1)\n"),
        ),
        (f"{WALKS}test_on_the_straight_part_of_a_hinge_the_worst_place_comes_within_a_fifth",),
    ),
    Defect(
        "walk-charged-for-one-pass",
        AREA,
        "Constant steps are charged for one visit of a record, however many passes there are.",
        "k passes cost up to k times the ε stated.",
        edited("theory.stability.descents", ("for later in range(self.passes))", "for later in range(1))")),
        (f"{WALKS}test_on_the_straight_part_of_a_hinge_the_worst_place_comes_within_a_fifth",),
    ),
    Defect(
        "mean-of-a-walk-charged-for-its-last-visit",
        AREA,
        "The mean of all points is charged for the last visit of a record alone.",
        "Earlier visits move more of the points: the noise is too small.",
        edited(
            "theory.stability.descents", ("self._felt(self.steps - earlier", "self._felt(self.per_pass - 0 * earlier")
        ),
        (f"{WALKS}test_on_the_straight_part_of_a_hinge_the_worst_place_comes_within_a_fifth",),
    ),
    Defect(
        "walk-with-a-secret-number-of-rows",
        AREA,
        "Gradient steps over batches serve add-remove neighbours.",
        "A row more shifts every batch, which no bound covers.",
        edited("gate.models.stable_sgd", ("if facts.adjacency is not Adjacency.REPLACE_ONE:", "if facts.n == 0:")),
        (f"{WALKS}test_a_secret_number_of_rows_and_corners_are_refused",),
    ),
    Defect(
        "walk-with-steps-of-any-length",
        AREA,
        "A constant step longer than the loss's curvature allows is taken.",
        "Such steps drive neighbours apart.",
        edited("theory.stability.descents", ("self.step_size > longest", "self.step_size > 1e9 * longest")),
        (f"{WALKS}test_steps_that_no_theorem_covers_are_refused_with_the_limit",),
    ),
    Defect(
        "rounding-of-a-walk-forgotten",
        AREA,
        "What doubles add in thousands of steps is left out of the sensitivity.",
        "Two walks can end further apart than was paid for.",
        edited("theory.stability.walks", ("walk.visits + 2 * rounding", "walk.visits + 0 * rounding")),
        (f"{WALKS}test_rounding_of_many_steps_is_counted",),
    ),
    Defect(
        "masked-rows-left-long",
        AREA,
        "What a mask leaves of a row is not clipped.",
        "A row with few entries is as long as before, and the noise is for a shorter one.",
        edited("inside.design.masked", ("        clip_dense(matrix, row_norm)\n", "")),
        (f"{WALKS}test_masked_rows_attain_a_bound_that_shrank_with_them",),
    ),
    Defect(
        "slopes-left-steep",
        AREA,
        "Slopes are not clipped, though the noise is for clipped ones.",
        "A record far from its label pulls as hard as it likes.",
        edited("inside.walk", ("np.clip(slopes, -cap, cap)", "slopes")),
        (f"{WALKS}test_no_neighbours_move_the_end_further_than_planned",),
    ),
    Defect(
        "peeling-by-half-of-what-a-row-moves",
        AREA,
        "A replaced row is taken to move a covariance by 2, as if means stood still.",
        "Choices are twice as sharp as was paid for.",
        edited("theory.sensitivity", ("up(4 * whole(rows=together)", "up(2 * whole(rows=together)")),
        (f"{PEELS}test_no_row_moves_a_score_further_than_stated_and_one_attains_it",),
    ),
    Defect(
        "peeling-pays-for-one-choice",
        AREA,
        "Every one of k choices is as sharp as the whole of ε allows.",
        "They cost k times the ε stated.",
        edited(
            "gate.choices.peel", ("down(self.budget.epsilon / self.k, FORMULA)", "down(self.budget.epsilon, FORMULA)")
        ),
        (f"{PEELS}test_it_finds_what_matters_and_costs_the_choice_alone",),
    ),
    Defect(
        "peeling-says-it-errs-less",
        AREA,
        "A wrong set is said to be as rare as for one choice.",
        "Whoever plans by it chooses the wrong columns more often than told.",
        edited("gate.choices.peel", ("return min(1.0, self.k * left / 2)", "return min(1.0, left / (2 * self.k))")),
        (f"{PEELS}test_wrong_sets_are_as_rare_as_the_plan_says",),
    ),
    Defect(
        "momentum-charged-as-if-it-stopped",
        AREA,
        "A record's push is charged for the step that meets it, without what momentum makes of it.",
        "With momentum γ neighbours end up to 1/(1 − γ) times as far apart as the noise hides.",
        edited("theory.stability.momentum", ("found.append(_largest(here, swing.steps))", "found.append(1.0)")),
        (
            f"{SWINGS}test_short_walks_attain_the_bound",
            f"{SWINGS}test_impulses_without_curvature_are_those_of_the_catalogue",
        ),
    ),
    Defect(
        "momentum-with-gradients-of-the-start",
        AREA,
        "Gradients of the squared loss are bounded where the steps start, not where they lead.",
        "Far from the start one record pulls harder than the noise hides.",
        edited(
            "theory.stability.walks", ("start + residual * (each + slack)", "start + 0 * residual * (each + slack)")
        ),
        (f"{SWINGS}test_points_never_leave_where_the_gradients_were_bounded_and_some_table_leads_there",),
    ),
    Defect(
        "momentum-between-the-points-forgotten",
        AREA,
        "The largest response is taken at the points that were looked at, without what lies between them.",
        "Eigenvalues between two points move neighbours further than stated.",
        edited(
            "theory.stability.momentum",
            (" / math.cos(math.pi * degree / (2 * values.size)), WELL_CLEAR)", ", WELL_CLEAR)"),
        ),
        (f"{SWINGS}test_impulses_are_above_those_at_every_eigenvalue",),
    ),
    Defect(
        "momentum-for-any-loss",
        AREA,
        "Momentum serves losses whose curvature changes.",
        "There a change in curvature pumps the distance of neighbours exponentially.",
        edited("gate.models.momentum", ("if not facts.loss.traits.quadratic:", "if facts.n == 0:")),
        (f"{SWINGS}test_losses_whose_curvature_changes_are_refused_with_the_reason",),
    ),
    Defect(
        "rounding-of-momentum-forgotten",
        AREA,
        "What doubles add in steps with momentum is left out of the sensitivity.",
        "Two walks can end further apart than was paid for.",
        edited("theory.stability.walks", ("/ facts.n + 2 * errors", "/ facts.n + 0 * errors")),
        (f"{SWINGS}test_rounding_is_counted",),
    ),
)
