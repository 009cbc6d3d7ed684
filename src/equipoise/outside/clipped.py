"""What share of the records a fit takes as something else than they are: noisy counts that were paid for."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.theory.guarantees import Guarantee

MUCH = 0.1
"""Above this share the bounds are worth another look."""


@dataclass(frozen=True, slots=True)
class ClippedCounts:
    """Noisy numbers of records whose row, or whose label, was brought within its bounds or settled by rule."""

    rows_clipped: float
    labels_clipped: float
    records: float
    """Their number where it is public, a noisy count under add-remove."""
    reach: float
    """Each number is within this of the true one, but for a chance of one in twenty for all of them together."""
    guarantee: Guarantee

    @property
    def share_of_rows(self) -> float:
        """Within [0, 1]."""
        return self._share(self.rows_clipped)

    @property
    def share_of_labels(self) -> float:
        """Within [0, 1]."""
        return self._share(self.labels_clipped)

    def __str__(self) -> str:
        told = [
            f"about {share:.1%} of the {what} clipped or settled by rule"
            for what, share in (("rows", self.share_of_rows), ("labels", self.share_of_labels))
        ]
        width = self._share(self.reach)
        advice = "; wider bounds may help" if max(self.share_of_rows, self.share_of_labels) > MUCH else ""
        return f"{told[0]}, {told[1]}, each give or take {width:.1%} (epsilon {self.guarantee.epsilon:g}){advice}"

    def _share(self, count: float) -> float:
        return min(1.0, max(0.0, count / max(1.0, self.records)))
