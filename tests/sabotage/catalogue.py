"""Every defect there is, area by area."""

from __future__ import annotations

from tests.sabotage import (
    accounting,
    additive,
    answering,
    auditing,
    capped,
    clusters,
    compiled,
    corners,
    densities,
    evened,
    guarding,
    invented_inside,
    invented_outside,
    ledgers,
    lifted,
    measuring,
    mechanisms,
    metric,
    noise,
    objective,
    overlooked,
    prediction,
    rankings,
    records,
    searches,
    seen,
    selection,
    sensitivities,
    short_constant,
    slots,
    solving,
    stability,
    strangers,
    tables,
    threads,
    told,
    tuning,
    unpaid,
)
from tests.sabotage.defect import Defect, InvalidDefect

DEFECTS: tuple[Defect, ...] = (
    *sensitivities.DEFECTS,
    *capped.DEFECTS,
    *noise.DEFECTS,
    *mechanisms.DEFECTS,
    *objective.DEFECTS,
    *records.DEFECTS,
    *additive.DEFECTS,
    *slots.DEFECTS,
    *lifted.DEFECTS,
    *rankings.DEFECTS,
    *solving.DEFECTS,
    *stability.DEFECTS,
    *accounting.DEFECTS,
    *ledgers.DEFECTS,
    *selection.DEFECTS,
    *searches.DEFECTS,
    *seen.DEFECTS,
    *evened.DEFECTS,
    *short_constant.DEFECTS,
    *tuning.DEFECTS,
    *prediction.DEFECTS,
    *answering.DEFECTS,
    *measuring.DEFECTS,
    *metric.DEFECTS,
    *densities.DEFECTS,
    *corners.DEFECTS,
    *strangers.DEFECTS,
    *tables.DEFECTS,
    *threads.DEFECTS,
    *compiled.DEFECTS,
    *clusters.DEFECTS,
    *guarding.DEFECTS,
    *told.DEFECTS,
    *auditing.DEFECTS,
    *overlooked.DEFECTS,
    *invented_inside.DEFECTS,
    *invented_outside.DEFECTS,
    *unpaid.DEFECTS,
)


def find(name: str) -> Defect:
    """The defect of this name."""
    for defect in DEFECTS:
        if defect.name == name:
            return defect
    raise InvalidDefect(f"no defect is called {name!r}")
