"""A private histogram as a density estimator, its bin width given or chosen privately.

The argument is docs/proofs/histogram_density.md.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import at_most, fraction, moderate, one_of, positive, shown, whole
from equipoise._docs import documented
from equipoise.errors import BoundsRequired, InvalidInput, MechanismRefused
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._origin import origin_now
from equipoise.estimators._spent import after_the_debit, before_the_debit
from equipoise.estimators._warnings import warn_before_spending
from equipoise.estimators.density.density_inputs import box_from, density_rows, nested, shape_from, sides_from
from equipoise.estimators.search.parts import ROW_UNIT, Groups, groups_from, split_rows
from equipoise.gate import Bits, RandomState, bits_from
from equipoise.gate.tables import density as gate
from equipoise.gate.tables.density import DensityPlan, Split
from equipoise.inside.strangers import unseen
from equipoise.inside.tables.density import enter_points
from equipoise.ledger import Ledger, LedgerLike
from equipoise.outside import Card
from equipoise.outside.density.files import load_density
from equipoise.outside.density.released_density import Array, Density
from equipoise.theory.adjacency import Adjacency, Neighbours, Unit
from equipoise.theory.guarantees import Budget
from equipoise.theory.tables.density import COARSEN_REACH, REACH, Shape, cells_of, default_candidates

MOST_DRAWN = 2**30
"""Points drawn from a released density at once."""


@documented("density")
class HistogramDensity(DensityMixin, BaseEstimator):
    """A histogram over a public box, in one to three dimensions, released with Laplace noise on its counts.

    `bounds` is (low, high), or one pair for each column; values outside are moved to the edge.  `bins` is a number,
    one for each column, or "auto": then `share` of epsilon pays for choosing among `candidates` (bins a side; the
    default list comes from n and epsilon).  `validation=None` compares grids by leave-one-out on all rows;
    a fraction holds out that part of the rows, as Chaudhuri and Vinterbo do.  "coarsen" spends all of epsilon on the
    finest candidate and merges its cells afterwards by what was released: about as accurate.

    >>> import numpy as np, equipoise as eq
    >>> from equipoise.estimators.density.histogram_density import HistogramDensity
    >>> heights = np.linspace(150, 190, 5000)
    >>> density = HistogramDensity(epsilon=1.0, bins=4, bounds=(150, 190)).fit(heights)
    >>> density.guarantee_.epsilon, bool(abs(density.cdf(170.0) - 0.5) < 0.05)
    (1.0, True)
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        bins: Any = "auto",
        bounds: Any = None,
        candidates: Any = None,
        adjacency: str = "replace-one",
        validation: float | None = None,
        share: float = 0.25,
        random_state: RandomState = None,
        ledger: LedgerLike | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bins = bins
        self.bounds = bounds
        self.candidates = candidates
        self.adjacency = adjacency
        self.validation = validation
        self.share = share
        self.random_state = random_state
        self.ledger = ledger

    @documented(returns="plan: Printing it costs nothing.")
    def plan(self, n: int) -> DensityPlan:
        """The release for n rows, before any is seen."""
        return self._plan(whole(n=n), self._sizes(n), 1)

    def _plan(self, rows: int, sizes: tuple[int, int] | None, largest: int) -> DensityPlan:
        box, budget = box_from(self.bounds), Budget(self.epsilon, self.delta)
        adjacency = self._adjacency()
        share = moderate(share=fraction(share=self.share))
        known = rows if adjacency is Adjacency.REPLACE_ONE else None
        shapes = self._shapes(rows, budget.epsilon / largest, box.dimensions)
        coarser: tuple[Shape, ...] = ()
        if self._merges():
            shapes, coarser = nested(shapes)
        return gate.plan(
            box,
            shapes,
            known,
            budget,
            share=share,
            adjacency=adjacency,
            sizes=sizes,
            largest=largest,
            coarser=coarser,
        )

    def _adjacency(self) -> Adjacency:
        return Adjacency(one_of(tuple(Adjacency), adjacency=self.adjacency))

    def _shapes(self, rows: int, epsilon: float, dimensions: int) -> tuple[Shape, ...]:
        """The grids to choose from; one for given bins."""
        if not (self._chooses() or self._merges()):
            shapes: tuple[Shape, ...] = (shape_from(self.bins, dimensions),)
        else:
            sides = self._sides(rows, epsilon, dimensions)
            shapes = tuple((side,) * dimensions for side in sides)
        for shape in shapes:
            cells_of(shape)
        return shapes

    def _sides(self, rows: int, epsilon: float, dimensions: int) -> tuple[int, ...]:
        """Bins a side of every candidate."""
        if self.candidates is not None:
            return sides_from(self.candidates)
        if self._adjacency() is not Adjacency.REPLACE_ONE:
            raise BoundsRequired(
                'candidates: add-remove adjacency keeps the number of rows secret, list them for bins="coarsen"'
            )
        return default_candidates(rows, epsilon, dimensions, COARSEN_REACH if self._merges() else REACH)

    def _merges(self) -> bool:
        return isinstance(self.bins, str) and self.bins == "coarsen"

    def _chooses(self) -> bool:
        if not isinstance(self.bins, str):
            if self.candidates is not None:
                raise InvalidInput('candidates: bins are given, use bins="auto" or "coarsen" to choose among them')
            return False
        if one_of(("auto", "coarsen"), bins=self.bins) == "coarsen":
            return False
        if self._adjacency() is not Adjacency.REPLACE_ONE:
            raise MechanismRefused(
                'bins="auto": needs a public number of rows, give bins, or "coarsen" and candidates, or'
                ' adjacency="replace-one"'
            )
        return True

    def _sizes(self, rows: int) -> tuple[int, int] | None:
        """How many rows to train and to validate on; None for leave-one-out."""
        if self.validation is None or not self._chooses():
            return None
        kept = round(positive(validation=fraction(validation=self.validation)) * rows)
        return rows - kept, kept

    @documented(returns="self: The fitted density.")
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Plan from public facts, debit the ledger, look at the rows, release.  `groups` names whose rows are whose."""
        before = dict(vars(self))
        try:
            return self._fit(X, groups)
        except BaseException:
            self.__dict__ = before  # a failed fit leaves nothing behind
            raise

    def _fit(self, X: Any, groups: Any) -> Self:
        with before_the_debit():
            box, known = box_from(self.bounds), self._adjacency() is Adjacency.REPLACE_ONE
            rows = density_rows(self, X, box.dimensions, fewest=1 if known else 0)
            whose = groups_from(groups, len(rows))
            if whose is not None and not known:
                raise MechanismRefused('groups: need public group sizes, use adjacency="replace-one"')
            bits = bits_from(self.random_state)
            split = self._split(len(rows), whose, bits)
            sizes = None if split is None else (len(split.training), len(split.validation))
            plan = self._plan(len(rows), sizes, 1 if whose is None else whose.largest)
            given = checked_ledger(self.ledger)
        warn_before_spending(self, self.epsilon, 0.0, 1, bits.seeded)  # pure noise: no delta is needed
        account: LedgerLike = Ledger() if given is None else given
        about = Neighbours(plan.adjacency, Unit.ROW if whose is None else Unit.PERSON)
        with account.reserve(plan.event, label=type(self).__name__, neighbours=about) as entry, unseen():
            with after_the_debit():
                density = gate.release(enter_points(rows, box), plan, split, entry, bits)
            entry.commit()
        self._publish(replace(_with_unit(density, whose), origin=origin_now(given)))
        return self

    def _split(self, rows: int, whose: Groups | None, bits: Bits) -> Split | None:
        """The paper's two parts, cut without looking at a value and never through a group."""
        sizes = self._sizes(rows)
        if sizes is None:
            return None
        if min(sizes) >= 1:
            training, validation = split_rows(sizes, whose, bits)
            if min(len(training), len(validation)) >= 1:
                return Split(training, validation)
        raise InvalidInput(f"validation={shown(self.validation)}: leaves a part without rows, use None")

    def _publish(self, density: Density) -> None:
        self.density_ = density
        self.bin_edges_ = density.edges[0] if density.box.dimensions == 1 else density.edges
        self.guarantee_ = density.guarantee
        self.n_features_in_ = density.box.dimensions

    @documented(returns="array: One number for each point.")
    def pdf(self, x: npt.ArrayLike) -> Array:
        """The density at each point; 0 outside the bounds.  Free, like everything below."""
        check_is_fitted(self)
        return self.density_.pdf(x)

    @documented(returns="array: One number for each point.")
    def cdf(self, x: npt.ArrayLike) -> Array:
        """The chance that every coordinate is at most the point's."""
        check_is_fitted(self)
        return self.density_.cdf(x)

    @documented(returns="array: Points.")
    def sample(self, size: int = 1, random_state: RandomState = None) -> Array:
        """Points drawn from the released density: (size,) in one dimension, otherwise (size, d)."""
        check_is_fitted(self)
        d = self.density_.box.dimensions
        words = bits_from(random_state).words(at_most(MOST_DRAWN, size=size) * (d + 1))
        uniform = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
        points = self.density_.points_at(uniform.reshape(size, d + 1))
        return points[:, 0] if d == 1 else points

    @documented(returns="array: One number for each row.")
    def score_samples(self, X: npt.ArrayLike) -> Array:
        """The log density of each row, never below a thousandth of the uniform density."""
        check_is_fitted(self)
        return self.density_.log_pdf(X)

    @documented(returns="float: Larger is better.")
    def score(self, X: npt.ArrayLike, y: Any = None) -> float:
        """The mean of `score_samples`.  The rows are not protected: give public ones."""
        return float(np.mean(self.score_samples(X)))

    @documented(returns="axes: Those it was drawn on.")
    def plot(self, ax: Any = None) -> Any:
        """A step plot in one dimension, an image in two; the axes it was drawn on."""
        check_is_fitted(self)
        return self.density_.plot(ax)

    @documented(returns="Card: As text, HTML and JSON.")
    def card(self, data: str | None = None) -> Card:
        """The page to ship with the density: its guarantee in plain words; `data` names the data set."""
        check_is_fitted(self)
        return self.density_.card(data)

    @documented()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the released density as JSON; `HistogramDensity.load` reads it."""
        check_is_fitted(self)
        self.density_.save(path)

    @classmethod
    @documented(returns="HistogramDensity: Fitted.")
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A fitted estimator from a file of `save`."""
        density = load_density(path)
        made, box = cls(density.guarantee.epsilon, density.guarantee.delta), density.box
        made.set_params(bins=density.mass.shape, adjacency=str(density.guarantee.adjacency))
        made.set_params(bounds=tuple(zip(box.low, box.high, strict=True)))
        made._publish(density)
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        return tags


def _with_unit(density: Density, whose: Groups | None) -> Density:
    """The promise in terms of rows, or of the groups whose rows were protected together."""
    promise = density.guarantee
    if whose is None:
        return replace(density, guarantee=replace(promise, notes=(*promise.notes, ROW_UNIT)))
    return replace(density, guarantee=replace(promise, unit=whose.unit))
