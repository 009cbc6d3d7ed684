"""The catalogue as a list: what each function says, for the page written from it (docs/reference/stability.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from equipoise.theory.stability import averages, gradient_steps, minimisers, variants
from equipoise.theory.stability.bound import StabilityBound


class Verdict(StrEnum):
    """Whether noise may rest on it."""

    GRANTED = "granted"
    CONDITIONAL = "under a condition"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Row:
    """One algorithm.  `attained`: some pair of neighbours moves it as far as the bound says."""

    algorithm: str
    function: Callable[..., StabilityBound]
    verdict: Verdict
    bound: str
    condition: str
    attained: bool = False


G, C, R = Verdict.GRANTED, Verdict.CONDITIONAL, Verdict.REFUSED

CATALOGUE = (
    Row("regularised ERM", minimisers.regularised_erm, G, "2ρ/(μn)", "exact minimiser", True),
    Row("strongly convex losses", minimisers.strongly_convex_losses, G, "2ρ/(μ(n+1))", "bounded convex set", True),
    Row("elastic net", minimisers.elastic_net, G, "2ρ/(αn)", "exact minimiser", True),
    Row("elastic net as printed", minimisers.elastic_net_as_printed, C, "4L√κ/(α√n)", "κ ≤ 4n; for studies"),
    Row("bridge regression", minimisers.bridge, C, "2ρr^(2−p)/(nλp(p−1))", "1 < p ≤ 2, r = (ℓ₀/λ)^(1/p)"),
    Row("multi-task", minimisers.multi_task, G, "2ρ/(μN)", "one row of one task; N rows of all tasks", True),
    Row("k-partite ranking", minimisers.ranking, C, "4ρ/(μn)", "all pairs, or public labels: 2ρ/(μ·n_min)", True),
    Row("SGD, step size", gradient_steps.sgd_step_size, C, "Dη", "smooth, η ≤ 2/β", True),
    Row("SGD, passes", gradient_steps.sgd_passes, C, "kDη", "smooth, η ≤ 2/β", True),
    Row("SGD, minibatch", gradient_steps.sgd_minibatch, C, "kDη/b", "batches divided by the same b", True),
    Row("SGD, model averaging", gradient_steps.sgd_averaging, C, "(k+1)Dη/(2b)", "smooth, η ≤ 2/β", True),
    Row("SGD, decreasing steps", gradient_steps.sgd_decreasing_steps, C, "(D/b)Σ_passes max η", "every η ≤ 2/β", True),
    Row("SGD, strongly convex", gradient_steps.sgd_strongly_convex, C, "D/(μn)", "η_t = min(1/β, 1/(μt))", True),
    Row(
        "SGD, strongly convex, constant steps",
        gradient_steps.sgd_strongly_convex_constant,
        C,
        "(Dη/b)(1−q^k)/(1−q)",
        "η ≤ 2/(β+μ), q = (1−ημ)^(steps in a pass)",
        True,
    ),
    Row("SGD with a kink", gradient_steps.sgd_with_kink, G, "2ρ(√Ση² + Σ_passes max η/b)", "any steps"),
    Row("SGD, number of steps", gradient_steps.sgd_steps, R, "–", "printed as falling with T: it grows"),
    Row("s-dropout", variants.s_dropout, C, "× s", "masked features; masked gradients are refused", True),
    Row("gradient clipping", variants.gradient_clipping, C, "2·cap·B·kη/b", "losses of one score", True),
    Row("batch normalisation", variants.batch_normalisation, R, "–", "one record moves its whole batch"),
    Row("Nesterov acceleration", variants.nesterov, C, "(2ρη/n)·T(T+7)/8", "quadratic, full batch, η ≤ 1/β", True),
    Row("heavy ball", variants.heavy_ball, C, "2ρηT/(n(1−γ))", "quadratic, full batch, ηβ ≤ 2(1+γ)", True),
    Row("SGD with replacement", averages.sgd_with_replacement, R, "2ρηT/n", "on average over the draws"),
    Row("SGD, random position", averages.sgd_random_position, R, "ρη", "on average over positions"),
    Row("anything on average", averages.on_average, R, "as stated", "hypothesis, on-average, leave-one-out stability"),
)


def catalogue_table() -> str:
    """The catalogue as a table in Markdown."""
    head = ("algorithm", "function", "noise may rest on it", "moves in L2 by at most", "condition", "attained")
    return "\n".join(_line(line) for line in (head, ("---",) * len(head), *map(_cells, CATALOGUE))) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    attained = "yes" if row.attained else ""
    return row.algorithm, f"`{row.function.__name__}`", row.verdict, row.bound, row.condition, attained


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
