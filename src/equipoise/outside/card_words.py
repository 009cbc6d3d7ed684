"""What a card says, in words that stay true at every ε: the promise, how strong it is, and what it does not cover."""

from __future__ import annotations

import math

from equipoise.outside.pages import at_most
from equipoise.outside.uncertainty import FROM_THE_MIDDLE, MINIMISER, NOISELESS, POPULATION
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import ONE_ROW, Guarantee
from equipoise.theory.usual_labels import LOWER, UPPER

ADJACENCY = {
    Adjacency.REPLACE_ONE: "replace-one: two tables of the same, public size that differ in one row",
    Adjacency.ADD_REMOVE: "add-remove: two tables of which one has one row more",
}

CLIPPED = "a row beyond its bounds is brought within them before anything else, in the fit and in every prediction"
NOT_CLIPPED = "in the fit alone: a file of this older version does not say the bounds, so predictions do not clip"

FOUND = "found first, within the same promise; labels outside are moved to the nearer end"

USUAL_LABELS = {LOWER, UPPER}
"""What a guarantee says of a usual range of labels."""

FROM_AFAR = (
    "the middle was released with noise, within the same promise; a row further from it is brought to that distance, in"
    " the fit and in every prediction, so that a coefficient is what a unit adds to the score of rows that are nearer"
)

UNCOUNTED = (
    "any share of the rows and labels, up to all of them, may lie beyond their bounds; equipoise.count_clipped tells,"
    " for a price"
)

MEANINGS = {
    "records": "n, number of rows",
    "pairs": "rows that were fitted: differences of two records, of twice their norm",
    "partners": "pairs that each record is in, chosen without looking",
    "rows per person": "the public cap: of each person the first so many rows are used; a row"
    " without an id is a person of its own",
    "released numbers": "coefficients, intercept included",
    "row norm": "bound on the L2 norm of a row; longer rows are clipped to it, or count less where it is a usual"
    " length",
    "intercept column": "the constant column behind the intercept",
    "steps' worth of the middle": "what the mean row cost, from which rows are seen",
    "middle's sensitivity": "how far one row can move the mean row (L2)",
    "middle's noise scale": "scale of the noise that was added to it",
    "reach around the middle": "bound on the distance of a row from it; rows further away are brought to it",
    "steps' worth of the metric": "what the second moments of the rows cost, in which steps are measured",
    "metric's sensitivity": "how far one row can move the moments, over the square of B (L2)",
    "metric's noise scale": "scale of the noise that was added to them",
    "metric's floor": "what is added to the moments of every direction, so that no step is too long",
    "privacy of the usual length": "ε of the choice of a usual length of rows, which comes first",
    "rows beyond the usual length": "part of the rows that may be longer, about; they count less",
    "row bound over the usual length": "how many times shorter than their bound rows usually are; the row norm above is"
    " the usual length",
    "privacy of the usual labels": "ε of the choice of a usual range of labels, which comes first",
    "labels beyond the usual ones": "part of the labels that may lie outside that range, about",
    "usual label lower bound": "lower end of the range that was found: labels below it are clipped to it",
    "usual label upper bound": "upper end of it: labels above are clipped to it",
    "row norm with intercept": "B, norm of a row with its constant column",
    "slope bound": "Lipschitz constant of the loss in the score",
    "curvature bound": "smoothness: largest second derivative of the loss in the score",
    "alpha": "weight of ½‖w‖² beside the mean loss",
    "l1": "weight of ‖w‖₁ beside the mean loss, intercept left out",
    "l1 corner": "half-width over which the corners of ‖w‖₁ are rounded",
    "power": "p of the penalty's |w|^p",
    "power weight": "λ of λ·Σ|w|^p beside the mean loss, intercept left out",
    "power corner": "below it the penalty is a parabola",
    "coefficient norm": "radius of the ball the coefficients are kept in",
    "label lower bound": "labels below are raised to it",
    "label upper bound": "labels above are lowered to it",
    "solver radius": "certified distance to the exact minimiser, already paid for",
    "stated stability": "how far one row moves the coefficients, as the caller states",
    "sensitivity": "how far one row can move what the noise hides (L2)",
    "noise scale": "scale of the noise that was added",
    "grid step": "the noisy numbers are multiples of this",
    "tilt noise scale": "scale of the noise put into the problem",
    "tilt grid step": "that noise is a multiple of this",
    "second noise's part": "part of the budget that pays for noise on the minimiser",
    "steps": "noisy gradient steps",
    "step size": "how far each step goes along its gradient",
    "momentum": "part of the step before that is taken again",
    "passes": "times that each record was used",
    "batch": "records in a step",
    "records used": "batches of whole size hold so many; the others, drawn without looking, were left out",
    "longest step": "the first steps; later ones are one over ridge times their number",
    "constant step": "how far every step goes along its gradient",
    "averaged": "1 where the mean of all points was released, 0 for the last",
    "step ball": "the steps stay within this distance of the start",
    "privacy of a step (GDP)": "μ of one step; √k times as much for k steps, or for what costs as much as k",
    "steps' worth of the anchor": "what the intercept's own release costs, in steps",
    "largest weight of a record": "short rows count for more, so that all pull alike; never more than this",
    "candidates": "settings that were compared",
    "records of all parts": "rows in the whole table",
    "records to choose on": "rows kept for comparing candidates",
    "records to train on while choosing": "rows on which candidates were tried",
    "epsilon of choosing": "part of epsilon spent on the choice",
    "epsilon of the fit alone": "what the fit would cost by itself",
    "expected loss of choosing": "how much worse than the best candidate the choice is, on average at most",
    "epsilon of one run": "what each of the random number of runs may spend",
    "mean number of runs": "how many there are on average; how many there were is not told",
    "score sensitivity": "how far one row can move a candidate's score",
    "corners": "columns, both ways where signs are free, and the constant column both ways",
    "entry bound": "bound on every entry of a row; larger ones are clipped to it",
    "coefficient L1 norm": "the largest sum of coefficients' sizes",
    "entropy weight": "alpha, weight of the entropy of the weights beside the mean loss",
    "draws": "corners drawn; the model is their average",
    "privacy of a draw": "how far one row can move the logarithm of a corner's chance",
    "range of a draw": "how far apart such moves can lie",
    "condition": "κ, curvature of the mean loss over the entropy's weight",
    "solver residual": "certified distance from the condition of a minimum, already paid for",
    "corner steps": "steps, each to one drawn corner",
    "rate of a draw": "how sharply a step chooses",
    "score noise scale": "scale of the noise in which scores were compared",
}

ERRORS = {
    MINIMISER: "around what the same fit without noise would give: privacy noise only, neither sampling nor ridge",
    NOISELESS: "around what the same fit without noise would give: privacy noise only, and at most so much; neither"
    " sampling nor what ridge or stopping early leave out",
    FROM_THE_MIDDLE: "around what the same steps from the same middle would give without noise: the middle's noise is"
    " not in them, nor sampling, nor what ridge or stopping early leave out",
    POPULATION: "around the population's coefficients: sampling and privacy noise together, approximately",
}

NOT_COVERED = (
    "Groups: the unit is the row. A person with k rows, or rows that depend on each other (a family, a household),"
    " is protected k times less: epsilon becomes k times epsilon, and delta grows faster still.",
    "Facts about the population: what a model learns from everybody may be used to guess about anybody, whether or"
    " not their row was there. That is the purpose of learning, not a leak of a row.",
    "Other releases: each model or answer from the same rows adds to the total. Only what one ledger recorded is"
    " counted together.",
    "Choices made by looking: bounds, classes, columns, epsilon or settings that were picked by examining the rows"
    " are a release of their own and are not counted here.",
    "Side channels: running time, memory, power, files and logs of the machine that fitted the model.",
    "Arithmetic: the numeric delta assumes that the mathematical library (libm) is right within 4 units in the last"
    " place.",
    "Truth: privacy says nothing about accuracy, fairness or fitness for a purpose.",
)

PEOPLE = (
    "Groups: the unit is the person, as groups= names them, with the rows that the cap keeps. People who depend on each"
    " other (a family, a household) are protected together k times less: epsilon becomes k times epsilon."
)

HOLDS_PURE = "holds with delta=0"
"""What a note says where pure noise was used although a delta was allowed."""

STRENGTHS = (
    (0.6, "strong", "An attacker who sees the model can hardly do better than by tossing a coin."),
    (0.75, "good", "An attacker gains something over tossing a coin, and is far from sure."),
    (0.95, "moderate", "An attacker who is good at it may be right far more often than by tossing a coin."),
    (0.999, "weak", "An attacker may be all but sure; what protects in practice is not promised here."),
    (math.inf, "next to nothing", "It promises next to nothing: do not rely on it to protect anybody."),
)
"""Up to which chance of a right guess between two tables, in a word, in a sentence."""


def not_covered(guarantee: Guarantee) -> tuple[str, ...]:
    """What the promise leaves out."""
    return NOT_COVERED if guarantee.unit == ONE_ROW else (PEOPLE, *NOT_COVERED[1:])


def delta_of(guarantee: Guarantee) -> float:
    """The δ that the promise needs: 0 where the noise is pure, although more was allowed."""
    return 0.0 if any(HOLDS_PURE in note for note in guarantee.notes) else guarantee.delta


def strength(guess: float) -> tuple[str, str]:
    """How strong a promise is under which an attacker names the right one of two tables with this chance at most."""
    return next((word, sentence) for most, word, sentence in STRENGTHS if guess < most)


def promise(guarantee: Guarantee, slip: float, guess: float) -> str:
    """The guarantee of a private release; `slip` is all of δ, `guess` an attacker's best chance of a right guess."""
    who = "any one row" if guarantee.unit == ONE_ROW else "all rows of any one person"
    change = {
        Adjacency.REPLACE_ONE: f"had {who} held other values",
        Adjacency.ADD_REMOVE: f"had {who} been left out or put in",
    }[guarantee.adjacency]
    factor = at_most(math.exp(min(guarantee.epsilon, 700.0)))
    more = f" plus {at_most(slip)} (δ, numeric δ included)" if slip > 0 else ""
    return (
        f"Whatever is learnt from this release could have been learnt {change}: the probability of any outcome is at"
        f" most {factor} times (e^ε) what it would have been then{more}. {strength(guess)[1]} This holds whatever else"
        " is known, and whatever is computed from the release afterwards."
    )
