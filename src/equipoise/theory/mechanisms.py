"""The ways to release, by the names that promises carry: what each does in words, and the page with its proof.

A card and a reader of files know no more of a mechanism than its name, so this is where that name is looked up.  The
mechanisms themselves are in gate/; each names its record here and adds what it needs and how it works.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise._checks import quoted
from equipoise.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class About:
    """What a card says of a mechanism."""

    name: str
    words: str
    proof: str
    knows_errors: bool = False
    """Whether it can say how far its numbers are from what they estimate."""


OUTPUT = About(
    "output",
    "solve exactly, add noise to the solution",
    "docs/proofs/output_perturbation.md",
    knows_errors=True,
)
OUTPUT_AS_PRINTED = About(
    "output-as-printed",
    "solve exactly, add noise to the solution, with the constant of Wu et al. 2015",
    "docs/proofs/output_perturbation.md",
)
OBJECTIVE = About(
    "objective",
    "add noise to the problem, then solve it",
    "docs/proofs/objective_perturbation.md",
    knows_errors=True,
)
NOISY_GRADIENT = About(
    "noisy-gradient",
    "descend along gradients with noise added at every step",
    "docs/proofs/noisy_gradients.md",
    knows_errors=True,
)
STABLE_SGD = About(
    "sgd",
    "take gradient steps over batches in a random order, add noise to where they end",
    "docs/proofs/stable_sgd.md",
    knows_errors=True,
)
MOMENTUM = About(
    "momentum",
    "take gradient steps with momentum on all records, add noise to where they end",
    "docs/proofs/momentum.md",
)
SUFFICIENT_STATISTICS = About(
    "sufficient-statistics",
    "release noisy moments of the table, solve least squares from them",
    "docs/proofs/sufficient_statistics.md",
    knows_errors=True,
)
CONSTANT = About("constant", "count the labels with noise, predict the same for everybody", "docs/proofs/constant.md")
FUNCTIONAL = About(
    "functional",
    "add noise to every coefficient of the squared objective, then minimise it",
    "docs/proofs/functional_mechanism.md",
)
PROJECTED_HISTOGRAM = About(
    "projected-histogram",
    "choose columns, count records in cells with noise, fit the cells",
    "docs/proofs/projected_histogram.md",
)

SAMPLE = About(
    "sample",
    "solve with an entropy term, draw columns at random by their weights and average them",
    "docs/proofs/simplex.md",
)
FRANK_WOLFE = About(
    "frank-wolfe",
    "step after step towards one column, drawn at random by the slope of the loss",
    "docs/proofs/simplex.md",
)
FOLLOW_THE_LEADER = About(
    "follow-the-leader",
    "in each round draw an expert at random, the likelier the less it has cost so far",
    "docs/proofs/simplex.md",
)

OF_SEARCHES = (
    About(
        "stability search",
        "try candidates on one part, choose by a stable score on another, fit the choice afresh",
        "docs/proofs/tuning.md",
    ),
    About(
        "data-split search",
        "fit each candidate on a part of its own, choose privately on another part",
        "docs/proofs/selection.md",
    ),
    About(
        "budget-split search",
        "fit each candidate with a share of the budget, choose privately on another part",
        "docs/proofs/selection.md",
    ),
    About("random search", "draw one candidate at random and fit it", "docs/proofs/selection.md"),
    About(
        "random-stop search",
        "fit and score candidates drawn at random, a random number of times, keep the best",
        "docs/proofs/selection.md",
    ),
)

OF_TABLES = (
    About(
        "histogram-density",
        "choose a grid privately, count records in its cells with noise",
        "docs/proofs/histogram_density.md",
    ),
    About(
        "reliability",
        "count forecasts by outcome with noise, and the sum of squared errors",
        "docs/proofs/calibration.md",
    ),
    About(
        "clipped-counts",
        "count with noise how many rows and labels lie beyond their bounds",
        "docs/proofs/histogram_density.md",
    ),
    About(
        "evaluation",
        "add noise to a sum of one number in [0, 1] for each record",
        "docs/proofs/evaluation.md",
    ),
    About(
        "peeling",
        "choose columns one after the other by their covariance with the label",
        "docs/proofs/peeling.md",
    ),
    About(
        "private-bounds",
        "choose two cells of a column's public grid by their rank",
        "docs/proofs/private_bounds.md",
    ),
    About(
        "private-scaling",
        "add noise to three soft counts of each column, compute centre and spread from them",
        "docs/proofs/private_scaling.md",
    ),
    About(
        "private-categories",
        "count with noise the values that occur, keep those above a threshold",
        "docs/proofs/private_categories.md",
    ),
)

STATED_STABILITY = About(
    "stated-stability",
    "fit somebody's estimator, add noise to its coefficients by the stability that its caller states",
    "docs/proofs/stated_stability.md",
)

TRANSFER = About(
    "transfer",
    "let a private predictor label public rows, train an ordinary model on them",
    "docs/proofs/prediction.md",
)

EVERY = (
    OUTPUT,
    OBJECTIVE,
    NOISY_GRADIENT,
    STABLE_SGD,
    MOMENTUM,
    SUFFICIENT_STATISTICS,
    CONSTANT,
    FUNCTIONAL,
    PROJECTED_HISTOGRAM,
    OUTPUT_AS_PRINTED,
    SAMPLE,
    FRANK_WOLFE,
    FOLLOW_THE_LEADER,
    *OF_SEARCHES,
    *OF_TABLES,
    STATED_STABILITY,
    TRANSFER,
)


def about(name: str) -> About:
    """The record of that name, or an error."""
    for each in EVERY:
        if each.name == name:
            return each
    raise InvalidInput(f"mechanism={quoted(name)}: not known to this version, update equipoise")
