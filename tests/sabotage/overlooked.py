"""Defects that an outsider planted and the tests of that day did not notice."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "overlooked"

DEFECTS = (
    Defect(
        "sphere-curvature-counted-twice",
        AREA,
        "The certificate in the ball counts the curvature of the sphere twice.",
        "A point up to twice as far from the minimiser as certified is released.",
        edited(
            "inside.certificate",
            ("+ multiplier / 2) + move", "+ multiplier) + move"),
        ),
        (
            "inside/test_certificates_are_tight.py::test_no_point_of_the_sphere_is_farther_than_certified_and_some_are_as_far",
        ),
    ),
    Defect(
        "certificate-of-the-steepest-class",
        AREA,
        "The certificate of several scores takes the steepest class's part of the gradient.",
        "A point √outputs times as far from the minimiser as certified is released.",
        edited(
            "inside.certificate",
            (
                "distance = (norm_above(gradient) +",
                "distance = (max(map(norm_above, gradient.reshape(objective.loss.outputs, -1))) +",
            ),
        ),
        (
            "inside/test_certificates_are_tight.py::test_without_pull_from_the_rows_the_certificate_is_the_distance_itself",
        ),
    ),
    Defect(
        "certificate-nearly-good-enough",
        AREA,
        "A certificate within five per cent of the radius is taken.",
        "A point further from the minimiser than the noise allows for is released.",
        edited(
            "inside.solvers.solution",
            ("if not certificate.distance <= radius:", "if not certificate.distance <= 1.05 * radius:"),
        ),
        (
            "inside/test_certificates_are_tight.py::test_a_solution_is_taken_only_if_its_certificate_is_within_the_radius",
        ),
    ),
    Defect(
        "plan-of-the-first-fit-kept",
        AREA,
        "An estimator keeps the plan of its first fit.",
        "A second, smaller table is released with the noise and at the price of the first.",
        edited(
            "estimators.linear.base",
            (
                "plan = self._plan(self._public_size",
                'plan = self._first = vars(self).get("_first") or self._plan(self._public_size',
            ),
        ),
        ("estimators/test_fitting_again.py::test_a_second_fit_promises_pays_and_releases_what_a_first_one_would",),
    ),
    Defect(
        "second-noise-for-one-solver-error",
        AREA,
        "The second noise of objective perturbation covers the solver's error of one table.",
        "Where the solver's error is large the blur costs twice its part of ε.",
        edited(
            "gate.models.objective_perturbation",
            ("laws.spanning(up(2 * away),", "laws.spanning(up(away),"),
        ),
        (
            "gate/models/test_noise_for_what_is_computed.py::test_the_second_noise_hides_an_error_of_the_solver_on_either_side",
        ),
    ),
    Defect(
        "constant-column-summed-plainly",
        AREA,
        "The constant column's sum over rows is made one term after another.",
        "Its rounding grows with n, beyond what certificates allow.",
        edited(
            "inside.design.constant",
            (
                "np.asarray(np.sum(np.ascontiguousarray(r.T), axis=-1, keepdims=True).T)",
                "np.cumsum(r, axis=0)[-1:]",
            ),
        ),
        ("contracts/test_design_contract.py::test_no_sum_over_rows_loses_more_than_its_depth_allows",),
    ),
    Defect(
        "guesses-do-not-share-the-risk",
        AREA,
        "Several numbers of guesses in a one-run audit each take the whole risk.",
        "The audit refutes honest claims oftener than it says.",
        edited(
            "audit.bounds.one_run",
            (
                "shared = 1 - (1 - share_of(confidence=confidence)) / len(sizes)",
                "shared = share_of(confidence=confidence)",
            ),
        ),
        (
            "audit/bounds/test_risk_is_kept.py::test_several_numbers_of_guesses_are_together_wrong_no_oftener_than_stated",
        ),
    ),
    Defect(
        "event-picked-on-the-draws-that-test-it",
        AREA,
        "A lower bound picks its event on the draws that test it.",
        "The audit refutes honest claims oftener than it says.",
        edited(
            "audit.bounds.lower_bounds",
            ("return by(chosen, counts, delta, risk)", "return by(counts, counts, delta, risk)"),
        ),
        ("audit/bounds/test_risk_is_kept.py::test_what_the_tested_draws_show_by_themselves_proves_nothing",),
    ),
    Defect(
        "several-ranges-composed-as-one",
        AREA,
        "Any number of equal bounded-range releases is told by the δ of one.",
        "A thousand soft votes cost as much as one.",
        edited(
            "theory.accounting.compose",
            ("and sum(parts.ranges.values()) == 1", "and len(parts.ranges) == 1"),
            ("delta_bounded_range(parts.pure, epsilon)", "delta_bounded_range(max(parts.ranges), epsilon)"),
        ),
        ("theory/accounting/test_bounded_range.py::test_draws_from_one_pair_never_cost_more_than_stated",),
    ),
)
