"""Defects of solvers and certificates: how close to the minimiser a point is said to be."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "solving"
CERTIFICATE = "inside/test_certificate.py"
HARM = "A point further from the minimiser than the noise allows for is released."

DEFECTS = (
    Defect(
        "uncertified-solve-accepted",
        AREA,
        "A solution whose certificate is too weak is returned all the same.",
        HARM,
        edited("inside.solvers.solution", ("if not certificate.distance <= radius:", "if False:")),
        ("contracts/test_solver_contract.py::test_an_impossible_radius_is_not_certified",),
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
            (
                "return records.design.rmatvec(per_score).T.reshape(-1) / divisor",
                "return records.design.rmatvec(per_score).T.reshape(-1)",
            ),
        ),
        ("inside/test_objective.py::test_gradient_is_the_slope_of_the_value",),
    ),
)
