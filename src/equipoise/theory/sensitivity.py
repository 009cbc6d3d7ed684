"""The only place where loss facts are multiplied by row norms and divided by n and α.

Gradients grow with the row norm B, curvature with B².  Every function states its theorem; the proofs are in
docs/proofs/sensitivity.md, and tests/theory/test_replace_one.py attacks each of them.
"""

from __future__ import annotations

import math

from equipoise._checks import positive, whole
from equipoise.errors import BoundsRequired
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.descent import Course
from equipoise.theory.evening import heaviest
from equipoise.theory.losses import Coding, LossFacts
from equipoise.theory.plan import Facts, Sensitivity
from equipoise.theory.rounding import FORMULA, LONG_SUM, up
from equipoise.theory.runs import runs_depth
from equipoise.theory.simplex.draws import LogRatios

MACHINE = 2.0**-53


def minimiser_norm(facts: Facts) -> float:
    """A bound on ‖w*‖ that no data can exceed: ‖w₀‖ + min(√(pull/α), ρ/α), or the ball if it is smaller.

    It divides a sum over the records by n, so it needs the true n to be public: not used under add-remove,
    nor for minimisers of a tilted objective.
    """
    start, alpha, norm = facts.penalty.centre_norm, facts.penalty.strong_convexity, facts.bounds.norm
    if facts.adjacency is Adjacency.ADD_REMOVE:
        return facts.ball
    lipschitz = norm * facts.loss.facts(math.inf).slope / alpha
    strayed = math.sqrt(heaviest(facts.evened) * facts.loss.pull(norm * start) / alpha)
    return min(facts.ball, up(start + min(strayed, lipschitz)))


def gradient_change(facts: Facts, norm: float) -> tuple[float, str]:
    """How far the summed gradient can move between neighbours at ‖w‖ ≤ norm, and why; evened rows are not mirrored."""
    loss = _bounded(facts, norm)
    if facts.adjacency is Adjacency.ADD_REMOVE:
        return up(facts.together * facts.bounds.norm * loss.slope), f"largest gradient of {_rows(facts)}"
    width = 2 * loss.slope if facts.evened_to else loss.diameter
    return up(facts.together * facts.bounds.norm * width), f"gradient diameter{_times(facts)}"


def _rows(facts: Facts) -> str:
    return "one record" if facts.together == 1 else f"{facts.together} records"


def _times(facts: Facts) -> str:
    whose = "one person" if facts.partners is None else "one record, as pairs"
    return "" if facts.together == 1 else f", {facts.together} records of {whose}"


def _bounded(facts: Facts, norm: float) -> LossFacts:
    loss = facts.loss.facts(facts.bounds.norm * norm)
    if math.isinf(loss.slope):
        raise BoundsRequired(f"coef_norm: the {facts.loss.name} loss needs a bound on the coefficients here, give one")
    return loss


def of_minimiser(facts: Facts) -> Sensitivity:
    """Δ₂ of the exact minimiser: D·B/(αn), Lemma A with the gradient diameter where both minimisers live."""
    norm = minimiser_norm(facts)
    change, why = gradient_change(facts, norm)
    where = "" if math.isinf(norm) else f" at coefficient norms up to {norm:.4g}"
    return Sensitivity(up(change / (facts.penalty.strong_convexity * facts.n)), f"Lemma A, {why}{where}")


def of_minimiser_as_printed(facts: Facts) -> Sensitivity:
    """(12R + 8)/(αn) of Wu et al. 2015, Algorithm 4, rows of norm B and labels within 1: (12RB² + 8B)/(αn); never
    below the proved constant, which is at most (4RB² + 4B)/(αn)."""
    norm, ball = facts.bounds.norm, facts.ball
    if math.isinf(ball):
        raise BoundsRequired("coef_norm: the printed constant needs the radius of the ball, give one")
    change = facts.together * (12 * ball * norm**2 + 8 * norm)
    return Sensitivity(up(change / (facts.penalty.strong_convexity * facts.n)), "12R + 8, Wu et al. 2015, Algorithm 4")


def of_mean_gradient(facts: Facts, norm: float) -> Sensitivity:
    """Δ₂ of the mean gradient at one released point of this norm, as computed in doubles."""
    change, why = gradient_change(facts, norm)
    return Sensitivity(up(change / facts.n) + 2 * gradient_rounding(facts, norm), f"{why} at the released point")


def of_mean_residual(facts: Facts, norm: float) -> Sensitivity:
    """Δ of the constant column c times the mean clipped residual, at one released point of this norm: 2cT/n.  The slope
    of `facts.loss` is the clipped residual; such a mean is one coordinate of a mean gradient."""
    norm *= facts.longer  # every record counts once here, a long one too
    slope = _bounded(facts, norm).slope
    reach = slope if facts.adjacency is Adjacency.ADD_REMOVE else 2 * slope
    moved = up(up(facts.together * facts.bounds.intercept * reach) / facts.n) + 2 * gradient_rounding(facts, norm)
    return Sensitivity(moved, f"the largest change of a residual{_times(facts)}")


def of_mean_row(facts: Facts) -> Sensitivity:
    """Δ₂ of the mean row, before it is seen from anywhere: 2R/n, R the bound of rows as they enter; then rounding."""
    moved = 2 * (facts.together + sums_rounding(facts)) * facts.bounds.row_norm
    return Sensitivity(up(moved / facts.n), f"the largest change of a row{_times(facts)}")


def of_tilted_gradient(facts: Facts) -> float:
    """Largest change of the *summed* gradient anywhere a tilted minimiser may lie: the ball, if there is one."""
    return gradient_change(facts, facts.ball)[0]


def of_tilted_minimiser(facts: Facts) -> float:
    """Δ₂ of the minimiser for a *fixed* tilt: Lemma A with the gradient diameter over the ball, never the norm bound of
    an untilted minimiser, which a tilted one does not obey."""
    return up(of_tilted_gradient(facts) / facts.penalty.strong_convexity / facts.n)


def slope_bound(facts: Facts) -> float:
    """Largest gradient of one record anywhere a tilted minimiser may lie: the L·B of objective perturbation."""
    return up(facts.bounds.norm * _bounded(facts, facts.ball).slope)


def corner_bound(facts: Facts) -> float:
    """The longest ‖x‖·q of several scores, q what the true class can lack: gradients are mixtures of q·(e_k − e_y)xᵀ.
    ‖e_k − e_y‖ = √2, and a slope without bound on the scores reaches all of it."""
    return up(facts.bounds.norm * _bounded(facts, math.inf).slope / math.sqrt(2))


def of_labels(facts: Facts) -> Sensitivity:
    """Δ₂ of the sum of labels within one, or of the counts of classes; then rounding (docs/proofs/constant.md)."""
    counts = facts.loss.traits.labels is Coding.PLACES
    exact, why = math.sqrt(2) if counts else 2.0, "one label becomes another"
    if facts.adjacency is Adjacency.ADD_REMOVE:
        exact, why = 1.0, "the largest label"
    exact *= facts.together
    return Sensitivity(up(exact + 2 * sums_rounding(facts)), f"change of the labels' sum, {why}{_times(facts)}")


def of_moments(facts: Facts, label_share: float) -> Sensitivity:
    """Δ₂ of Σzzᵀ, z = (x/B, q·y): √2(1 + q²) for a replaced record, 1 + q² for one more or less; then rounding.

    Σy² may weigh √(2q²(1 + q²)) under replace-one without raising it (docs/proofs/sufficient_statistics.md).
    """
    whole = 1 + label_share**2
    exact, why = math.sqrt(2) * whole, "two records at right angles once their labels are stacked"
    if facts.adjacency is Adjacency.ADD_REMOVE:
        exact, why = whole, "the largest record"
    rounding = 2 * sums_rounding(facts) * (1 + label_share) ** 2
    return Sensitivity(up(facts.together * exact + rounding), f"joint change of the moments, {why}{_times(facts)}")


def of_quadratic(facts: Facts) -> float:
    """L1 change of the coefficients x_j², 2x_jx_k, −2yx_j summed over the records, the rounding of sums included.

    One record weighs at most dB² + 2√d·B.  A replaced one moves them by at most √2(1 + u)·√(d²B⁴ + 2dB²/u), any
    u > 0 (Cauchy–Schwarz on the joint L2 change); the best u is taken (docs/proofs/functional_mechanism.md).
    """
    size, dim = facts.bounds.norm, facts.dim
    one = dim * size**2 + 2 * math.sqrt(dim) * size
    rounding = 2 * sums_rounding(facts) * one
    if facts.adjacency is Adjacency.ADD_REMOVE:
        return up(facts.together * one + rounding)
    ratio = 2 / (dim * size**2)
    u = 2 * ratio / (math.sqrt(ratio**2 + 8 * ratio) + ratio)
    joint = math.sqrt(2) * (1 + u) * dim * size**2 * math.sqrt(1 + ratio / u)
    return up(facts.together * min(joint, 2 * one) + rounding)


def sums_rounding(facts: Facts) -> float:
    """What doubles can add to a sum over the records, in units of the largest record, four times over."""
    return 4 * MACHINE * (2 * math.sqrt(facts.most_rows) + 1024) * facts.total * facts.n


def of_covariances(n: int, together: int) -> float:
    """Σ(x − x̄)(y − ȳ) of numbers within one: 4(n − 1)/n for each replaced row, and the rounding of sums on both sides
    (docs/proofs/peeling.md)."""
    rounding = 16 * MACHINE * (2 * math.sqrt(whole(n=n)) + 1024) * n
    return up(4 * whole(rows=together) * (n - 1) / n + 2 * rounding)


def of_counts(adjacency: Adjacency) -> int:
    """L1 sensitivity of a histogram: replacing a record moves one from a cell to another."""
    return 1 if adjacency is Adjacency.ADD_REMOVE else 2


def of_covariance(code_bound: int, label_bound: int) -> int:
    """|Σ(c − c̄)(l − l̄)| for whole codes within these bounds: 4·code·label (docs/proofs/projected_histogram.md)."""
    return 4 * code_bound * label_bound


def largest_squared_loss(coef_norm: float, row_norm: float, label_bound: float = 1.0) -> float:
    """(RB + Y)²: what the squared loss of a record can be while coefficients stay within R."""
    return up((positive(coef_norm=coef_norm) * row_norm + label_bound) ** 2)


def of_mean_loss(cap: float, rows: int) -> float:
    """How far one replaced record moves a mean of losses within [0, cap]."""
    return up(cap / whole(rows=rows))


def log_jacobian(facts: Facts) -> float:
    """What each changed record can do to the log-determinant of the Hessian: r·log(1 + (trace/r)·B²/(nα)).

    Going from one table to the other a record at a time, every Hessian on the way is at least nα without the record.
    """
    loss = facts.loss.facts(facts.bounds.norm * facts.ball)
    bend = loss.trace / loss.rank * facts.bounds.norm**2 / (facts.n * facts.penalty.strong_convexity)
    return up(facts.together * loss.rank * math.log1p(bend))


def alpha_for_log_jacobian(facts: Facts, most: float) -> float:
    """The smallest α at which `log_jacobian` is at most `most`."""
    loss = facts.loss.facts(facts.bounds.norm * facts.ball)
    bend = math.expm1(most / (facts.together * loss.rank))
    return up(loss.trace / loss.rank * facts.bounds.norm**2 / (facts.n * bend), FORMULA)


def gradient_rounding(facts: Facts, norm: float) -> float:
    """Bound on the error of a mean gradient evaluated in doubles, ten times over (docs/proofs/certificates.md).

    A term passes through at most 2√n + 512 additions on its way into a sum, and through those of runs into a score.
    """
    reach = facts.bounds.norm * norm
    loss = facts.loss.facts(reach)
    rows = 2 * math.sqrt(facts.most_rows) + 544 + facts.loss.outputs
    columns = runs_depth(facts.features) + 32 + facts.loss.outputs
    bend = loss.curvature * (columns * reach + 16)
    return 10 * MACHINE * facts.total * facts.bounds.norm * (rows * loss.slope + bend)


def course(facts: Facts, tilt: float = 0.0) -> Course:
    """The way from the centre to the minimiser, for whatever records and a tilt of this length."""
    penalty, alpha = facts.penalty, facts.penalty.strong_convexity

    def error(norm: float) -> float:
        ridge = penalty.steepness(norm, facts.dim) + penalty.bend * norm
        return gradient_rounding(facts, norm) + 160 * MACHINE * (ridge + tilt)

    row_norm, push = up(facts.bounds.norm, LONG_SUM), up(tilt, LONG_SUM)
    start, ball, bend, most = penalty.centre_norm, facts.ball, penalty.bend, heaviest(facts.evened)
    return Course.of(facts.loss, alpha, row_norm, facts.total, start, push, ball, error, bend, most)


def certifiable_radius(facts: Facts, tilt: float = 0.0) -> float:
    """A distance to the minimiser that is reached in doubles whatever the records: by the last resort for certain, and
    with room for the certificates of the faster solvers."""
    way = course(facts, tilt)
    measured = 4 * way.error / way.alpha
    if math.isfinite(facts.ball):
        measured += 320 * MACHINE * facts.ball * (1 + max(way.smoothness / way.alpha, 2.0))
    return min(max(way.reach, measured), up(way.strays, LONG_SUM))


def of_weights(facts: Facts, residual: float = 0.0) -> Sensitivity:
    """How far the weights of an entropy-regularised minimiser move, in L1 and so in L2: Lemma A in the L1 norm."""
    moved = 2 * (corner_push(facts) + residual) / facts.penalty.strong_convexity
    return Sensitivity(min(2.0, up(moved)), f"Lemma A in the L1 norm{_times(facts)}")


def of_log_weights(facts: Facts, residual: float = 0.0) -> LogRatios:
    """Log-ratios of those weights: (2G/α)(1 + √(1+κ)) each, (G/α)(4 + 2√κ) apart, G = k·L·R/n + residual.

    `residual` bounds half the range of α·log θ + gradient at the weights that are drawn from
    (docs/proofs/simplex.md, sections 1 and 3).
    """
    push = (corner_push(facts) + residual) / facts.penalty.strong_convexity
    bend = corner_condition(facts)
    spread = up(push * (4 + 2 * math.sqrt(bend)))
    return LogRatios(min(spread, up(2 * push * (1 + math.sqrt(1 + bend)))), spread)


def of_corner_gradient(facts: Facts) -> float:
    """How far each coordinate of the mean gradient in the weights moves, as computed in doubles."""
    return up(2 * corner_push(facts) + 2 * corner_rounding(facts))


def corner_reach(facts: Facts) -> float:
    """R: the largest score, with rows within `row_norm` in every entry and coefficients of L1 norm `coef_norm`."""
    return up(facts.bounds.row_norm * facts.ball)


def corner_push(facts: Facts) -> float:
    """k·L·R/n: how hard the records of one person pull at a weight."""
    reach = corner_reach(facts)
    return up(facts.together * facts.loss.facts(reach).slope * reach / facts.n)


def corner_condition(facts: Facts) -> float:
    """κ = L_g·R²/α: smoothness of the mean loss in the L1 norm of the weights, over the entropy's convexity."""
    reach = corner_reach(facts)
    return up(facts.loss.facts(reach).curvature * reach * reach / facts.penalty.strong_convexity)


def corner_rounding(facts: Facts) -> float:
    """Bound on the error of one coordinate of the mean gradient in the weights in doubles, ten times over.

    As `gradient_rounding`; a row's score is a sum of runs, so that fewer additions than columns stand behind it.
    """
    reach = corner_reach(facts)
    loss = facts.loss.facts(reach)
    rows = 2 * math.sqrt(facts.most_rows) + 544
    bend = loss.curvature * ((runs_depth(facts.features) + 64) * reach + 16)
    return 10 * MACHINE * reach * (rows * loss.slope + bend)
