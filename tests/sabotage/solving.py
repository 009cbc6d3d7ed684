"""Defects of solvers and certificates: how close to the minimiser a point is said to be."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "solving"
CERTIFICATE = "inside/test_certificate.py"
ALWAYS = "inside/test_always_certified.py"
WEIGHTS = "theory/test_weights.py"
TILTS = "gate/models/test_longest_tilt.py"
HARM = "A point further from the minimiser than the noise allows for is released."

DEFECTS = (
    Defect(
        "corners-left-out-of-the-last-resort",
        AREA,
        "The last resort takes an elastic net for a ridge when it counts its steps.",
        "It stops before it is as near as the noise was planned for.",
        edited(
            "theory.descent",
            ("(row_norm * row_norm) + alpha + bend, LONG_SUM)", "(row_norm * row_norm) + alpha, LONG_SUM)"),
        ),
        ("inside/test_always_certified.py::test_no_problem_bends_more_than_its_course_says",),
    ),
    Defect(
        "an-l1-part-taken-for-strong-convexity",
        AREA,
        "An elastic net counts the curvature of its rounded corners as strong convexity.",
        "Sensitivity and certificates are divided by far too much: there is next to no noise.",
        edited(
            "theory.regularisers.elastic",
            (
                "    def strong_convexity(self) -> float:\n        return self.alpha\n",
                "    def strong_convexity(self) -> float:\n        return self.alpha + self.bend\n",
            ),
        ),
        ("theory/test_penalties.py::test_the_gradient_grows_as_fast_as_strong_convexity_says",),
    ),
    Defect(
        "an-l1-part-given-to-a-ridges-theorem",
        AREA,
        "Mechanisms whose theorem is about a ridge serve elastic nets.",
        "What is released is not what was minimised, and its proof does not speak of it.",
        edited("gate.models.choose", ("].needs.ridge and facts.penalty.bend > 0", "].needs.ridge and facts.n < 0")),
        ("estimators/linear/test_elastic_net.py::test_mechanisms_for_a_ridge_are_refused_by_name",),
    ),
    Defect(
        "uncertified-solve-accepted",
        AREA,
        "A solution whose certificate is too weak is returned all the same.",
        HARM,
        edited("inside.solvers.solution", ("if not certificate.distance <= radius:", "if False:")),
        ("contracts/test_solver_contract.py::test_an_impossible_radius_is_not_certified",),
    ),
    Defect(
        "head-start-taken-for-the-minimiser",
        AREA,
        "Where some records gave a head start, its end is returned with the certificate that they gave.",
        HARM,
        edited(
            "inside.solvers",
            (
                "return solve_within(objective, radius, ball, direction, begin)",
                "return Solution(begin, solve_within(objective, radius, ball, direction, begin).certificate)"
                " if begin is not None else solve_within(objective, radius, ball, direction, begin)",
            ),
        ),
        ("inside/solvers/test_head_start.py::test_the_minimiser_is_the_same_wherever_one_begins",),
    ),
    Defect(
        "uncertified-path-accepted",
        AREA,
        "Among many ridges solved together, those that are nearly certified count as certified.",
        HARM,
        edited(
            "inside.solvers.shared_hessian",
            ("    if certificate.distance <= one.radius:", "    if certificate.distance <= 100 * one.radius:"),
        ),
        (
            "inside/test_path.py::test_every_point_is_certified_and_agrees_with_a_single_fit",
            "inside/test_path.py::test_no_point_of_the_path_is_further_than_its_certificate_says",
        ),
    ),
    Defect(
        "certificate-without-rounding",
        AREA,
        "The certificate trusts the computed gradient to the last bit.",
        HARM,
        edited(
            "inside.certificate",
            (
                "(norm_above(gradient) + objective.rounding(w)) / objective.strong_convexity",
                "norm_above(gradient) / objective.strong_convexity",
            ),
        ),
        (
            "inside/test_rounding_of_certificates.py::test_the_distance_covers_the_exact_gradient_where_the_computed_one_is_smaller",
        ),
    ),
    Defect(
        "certificate-by-smoothness",
        AREA,
        "The gradient's norm is divided by the largest curvature instead of the smallest.",
        HARM,
        edited(
            "inside.certificate",
            ("objective.rounding(w)) / objective.strong_convexity", "objective.rounding(w)) / objective.smoothness"),
        ),
        (f"{CERTIFICATE}::test_smooth_certificate_covers_the_true_distance",),
    ),
    Defect(
        "ball-certificate-forgets-the-move",
        AREA,
        "A point off the sphere is certified as if it lay on it.",
        HARM,
        edited(
            "inside.certificate",
            ("+ multiplier / 2) + move", "+ multiplier / 2)"),
            ("    residual += (objective.smoothness + multiplier) * move\n", ""),
        ),
        (f"{CERTIFICATE}::test_ball_certificate_counts_a_point_off_the_sphere",),
    ),
    Defect(
        "last-resort-stops-early",
        AREA,
        "The last resort takes a fifth of the steps that are proved to be enough.",
        HARM,
        edited("theory.descent", ("wanted = 2 / self.share * math.log", "wanted = 0.4 / self.share * math.log")),
        (f"{ALWAYS}::test_the_steps_that_are_always_enough_are_enough_in_sixty_digits",),
    ),
    Defect(
        "last-resort-strides-too-long",
        AREA,
        "The last resort's step is four times what its proof allows.",
        HARM,
        edited("inside.solvers.last_resort", ("2 * way.share / way.alpha", "8 * way.share / way.alpha")),
        (f"{ALWAYS}::test_the_steps_that_are_always_enough_are_enough_in_sixty_digits",),
    ),
    Defect(
        "last-resort-forgets-the-tilt",
        AREA,
        "The distance from the start to the minimiser is bounded as if nothing but the records pulled.",
        HARM,
        edited("theory.descent", ("strayed = push / alpha + math.sqrt", "strayed = math.sqrt")),
        ("theory/test_descent.py::test_the_start_is_no_further_from_the_minimiser_than_stated",),
    ),
    Defect(
        "planned-rounding-too-small",
        AREA,
        "The plan's bound on the rounding of a gradient is a thousandth of what it should be.",
        "The radius is one that some tables cannot reach, and they are refused.",
        edited("theory.sensitivity", ("return 10 * MACHINE * facts.total", "return 0.01 * MACHINE * facts.total")),
        (f"{ALWAYS}::test_no_problem_is_harder_than_its_plan_took_it_for",),
    ),
    Defect(
        "planned-for-the-nominal-number",
        AREA,
        "Under add-remove the plan reckons with as many records as the nominal size says.",
        "The radius is one that large tables cannot reach: their number is told by a refusal.",
        edited("theory.plan", ("return LARGEST_TOTAL if self.adjacency", "return 1.0 if self.adjacency")),
        (f"{ALWAYS}::test_no_problem_is_harder_than_its_plan_took_it_for",),
    ),
    Defect(
        "secret-number-not-weighed",
        AREA,
        "Under add-remove every record counts in full, however many there are.",
        "Rounding grows with the secret number of records, beyond what the noise was planned for.",
        edited(
            "inside.records",
            ("return replace(inner, weight=weight) if weight > 0 else inner.first(0)", "return inner"),
        ),
        (f"{WEIGHTS}::test_beyond_the_largest_number_nothing_counts",),
    ),
    Defect(
        "weight-drops-at-once",
        AREA,
        "Under add-remove records count in full up to the largest number and nothing from there on.",
        "One record more takes all the others away.",
        edited(
            "theory.weights",
            ("max(0, MOST_ROWS * nominal - rows) / (MOST_ROWS * nominal)", "float(rows < MOST_ROWS * nominal)"),
        ),
        (f"{WEIGHTS}::test_one_record_more_moves_a_gradient_by_no_more_than_stated",),
    ),
    Defect(
        "tilt-tail-not-counted",
        AREA,
        "That a tilt may be longer than planned for is left out of delta.",
        "delta_numeric is smaller than what arithmetic adds.",
        edited("theory.accounting.room", ("slack.tail + TILT_TAIL", "slack.tail")),
        (f"{TILTS}::test_the_plan_counts_the_clamp",),
    ),
    Defect(
        "tilt-not-shortened",
        AREA,
        "A tilt longer than planned for is used as it is.",
        "The radius was planned for shorter ones: a refusal, or a point too far away.",
        edited(
            "gate.door",
            (
                "laws.clamped(Grid(noise.step).restore(laws.draw(noise, bits)), longest(noise))",
                "Grid(noise.step).restore(laws.draw(noise, bits))",
            ),
        ),
        (f"{TILTS}::test_a_draw_beyond_the_longest_is_shortened_and_others_are_left_alone",),
    ),
    Defect(
        "tilts-of-usual-length-only",
        AREA,
        "The longest tilt is one that is exceeded every few dozen times.",
        "Shortening it changes the law by far more than is counted.",
        edited(
            "theory.accounting.room",
            ("noise.dim + math.sqrt(150 * noise.dim) + 75", "noise.dim + 2 * math.sqrt(noise.dim)"),
        ),
        (f"{TILTS}::test_the_chance_of_a_longer_tilt_is_below_what_is_counted",),
    ),
    Defect(
        "kept-rows-calibrated-as-added",
        AREA,
        "Objective perturbation under add-remove forgets the record that is moved out.",
        "One record more changes two, and the noise hides one.",
        edited(
            "gate.models.objective_perturbation",
            ("return replace(facts, adjacency=Adjacency.REPLACE_ONE)", "return facts"),
        ),
        ("gate/models/test_objective_density.py::test_add_remove_is_calibrated_for_the_record_that_is_moved_out",),
    ),
    Defect(
        "moments-clamped-at-large-epsilon",
        AREA,
        "Moments are put on a grid too fine to hold them.",
        "Coefficients are wrong without a word.",
        edited(
            "gate.models.sufficient_statistics",
            ("laws.spanning(moved.l2, budget.epsilon, _largest(facts))", "moved.l2"),
        ),
        ("estimators/test_never_refused.py::test_moments_at_a_huge_epsilon_give_the_right_coefficients",),
    ),
    Defect(
        "crowded-columns-summed-as-they-come",
        AREA,
        "A sparse column with very many entries is summed one by one.",
        "Rounding grows with the rows instead of their square root, and hides a wrong minimiser.",
        edited("inside.design.sparse", ("self._by_columns.T, self._longest", "self._by_columns.T, self.rows + 1")),
        ("contracts/test_design_contract.py::test_no_sum_over_rows_loses_more_than_its_depth_allows",),
    ),
    Defect(
        "rows-let-go-though-one-is-long",
        AREA,
        "A wide sparse table is summed by columns even where a row has very many entries.",
        "Rounding grows with the columns beyond what the plan counted, and hides a wrong minimiser.",
        edited("inside.design.sparse", ("if self._wide and self._longest_line <= LONGEST_RUN:", "if self._wide:")),
        ("contracts/test_design_contract.py::test_no_score_loses_more_than_its_depth_allows",),
    ),
    Defect(
        "long-rows-summed-as-they-come",
        AREA,
        "A sparse row with very many entries is summed one by one.",
        "Rounding grows with the columns beyond what the plan counted, and hides a wrong minimiser.",
        edited("inside.design.sparse", ("Pieces.of(self.matrix, LONGEST_RUN)", "Pieces.of(self.matrix, self.columns)")),
        ("contracts/test_design_contract.py::test_no_score_loses_more_than_its_depth_allows",),
    ),
    Defect(
        "the-last-piece-of-a-line-forgotten",
        AREA,
        "Pieces of a long sparse line are added up without the last one.",
        "The gradient is not that of the records, and what is released is not their minimiser.",
        edited(
            "inside.design.sparse",
            (
                "np.add.at(total, self.owners, found[~self.heads])",
                "np.add.at(total, self.owners[:-1], found[~self.heads][:-1])",
            ),
        ),
        ("contracts/test_design_contract.py",),
    ),
    Defect(
        "not-a-number-certifies",
        AREA,
        "A distance that is not a number counts as zero.",
        "A solve that broke down is released.",
        edited(
            "inside.certificate",
            (
                "return math.inf if math.isnan(distance) else distance",
                "return 0.0 if math.isnan(distance) else distance",
            ),
        ),
        (f"{CERTIFICATE}::test_what_is_not_a_number_certifies_nothing",),
    ),
    Defect(
        "loss-not-divided-by-n",
        AREA,
        "The Hessian and gradient are those of the sum of losses, the ridge that of their mean.",
        "The minimiser is that of a ridge n times weaker, and moves n times as far.",
        edited(
            "inside.objective",
            ("        return at_once / divisor\n", "        return at_once\n"),
            (
                "return records.design.pulled(shaped, turn).T.reshape(-1) / divisor",
                "return records.design.pulled(shaped, turn).T.reshape(-1)",
            ),
        ),
        ("inside/test_objective.py::test_gradient_is_the_slope_of_the_value",),
    ),
)
