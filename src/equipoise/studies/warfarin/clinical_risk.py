"""What a dosing model's errors would do to patients: strokes, bleedings and deaths, by simulation.

The idea is that of Fredrikson et al., USENIX Security 2014, and Wu et al. 2015: simulate each patient's INR on the
dose that the model predicts, turn INR into rates of events, and compare with the dose the patient really needs.
Each dose is kept for the whole time: no doctor corrects it, so the figures compare models and forecast no clinic.
`docs/explanation/clinical-risk.md` has every number with its source and says which are still to be checked.

- [Hylek] Hylek et al., N Engl J Med 2003;349:1019-1026: ischaemic strokes and intracranial bleedings by INR.
- [Fang] Fang et al., Am J Med 2007;120:700-705: 98 major extracranial bleedings in 15,300 patient-years, 5 of them
  fatal within 30 days; 72 intracranial ones, 35 of them fatal.
- [Palareti] Palareti et al., Lancet 1996;348:423-428: all bleedings by INR, and 7.6 in 100 patient-years overall.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import one_of, positive, shown, whole
from equipoise.errors import InvalidInput
from equipoise.studies.warfarin.response import (
    CLEARANCE_LOST,
    HALF_EFFECT,
    Array,
    Patients,
    clearance,
    half_effect_for,
    simulate_inr,
    steady_inr,
)

RANGE = (2.0, 3.0)
"""The usual target range of INR."""

STARTS = ("untreated", "stable")
AGES = (10.0, 110.0)
"""Years; the published model is of adults, and the consortium's table has a few aged 10 to 19."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Rates that are constant between INR levels: `rates[k]` holds from `levels[k − 1]` up to `levels[k]`."""

    levels: tuple[float, ...]
    rates: tuple[float, ...]

    def at(self, inr: Array) -> Array:
        return np.array(self.rates)[np.searchsorted(self.levels, inr, side="right")]


# Events in 100 patient-years.
STROKE = Steps((1.5, 2.0), (7.7, 1.9, 0.6))  # [Hylek]; above 2.0 the mean of four bands, which differ by chance
INTRACRANIAL = Steps((4.0, 4.5), (0.43, 2.7, 9.4))  # [Hylek]; below 4.0 the mean of six bands
OUTSIDE, ALL_BLEEDING = 100 * 98 / 15_300, 7.6  # [Fang], [Palareti]: at any INR
EXTRACRANIAL = Steps(  # [Fang]'s rate, split over INR as [Palareti]'s are; below 2.0 as if from 2.0 to 2.9
    (3.0, 4.5, 7.0), tuple(OUTSIDE * rate / ALL_BLEEDING for rate in (4.8, 9.5, 40.5, 200.0))
)

# Shares of events that are fatal within 30 days.
STROKE_FATAL = Steps((1.5, 2.0), (0.15, 0.18, 0.06))  # [Hylek]
INTRACRANIAL_FATAL = 35 / 72  # [Fang]
EXTRACRANIAL_FATAL = 5 / 98  # [Fang]


@dataclass(frozen=True, slots=True)
class Relative:
    """Events on the predicted doses over events on the stable doses; the standard error is over patients."""

    ratio: float
    error: float
    per_100_years: float
    stable_per_100_years: float

    def __str__(self) -> str:
        rates = f"{self.per_100_years:.2f} against {self.stable_per_100_years:.2f} in 100 patient-years"
        return f"{self.ratio:.3f} ± {self.error:.3f} ({rates})"


@dataclass(frozen=True, slots=True)
class Risk:
    """Relative risks of a dosing model.  `bleeding` is major, in the skull or out; `death` is from these events."""

    stroke: Relative
    bleeding: Relative
    death: Relative
    time_in_range: float
    stable_time_in_range: float
    mean_inr: float
    individualised: float
    patients: int
    days: int

    def __str__(self) -> str:
        lines = [f"Risk of {self.patients} patients over {self.days} days, relative to their stable doses"]
        lines += [f"  {name:<9}{getattr(self, name)}" for name in ("stroke", "bleeding", "death")]
        spent = f"{self.time_in_range:.1%}, on stable doses {self.stable_time_in_range:.1%}"
        return "\n".join([*lines, f"  time with INR in {RANGE[0]:g} to {RANGE[1]:g}: {spent}"])


def clinical_risk(
    predicted_mg_week: npt.ArrayLike,
    stable_mg_week: npt.ArrayLike,
    cyp2c9: Sequence[str] | npt.NDArray[np.str_],
    vkorc1: Sequence[str] | npt.NDArray[np.str_],
    age: npt.ArrayLike,
    *,
    days: int = 90,
    target_inr: float = 2.5,
    start: str = "stable",
) -> Risk:
    """Simulate every patient twice, on the predicted and on the stable dose, and compare the events.

    Doses are in mg a week, ages in years, genotypes as "*1/*2" and "A/G" or "unknown".  Where the published values
    do not keep a patient in the target range on the stable dose, or VKORC1 is unknown, the patient's own sensitivity
    is set so that the stable dose gives `target_inr` in the end.  `start="stable"` begins with patients who have long
    been on their stable dose, so that only a wrong dose does harm.  "untreated" begins at INR 1, as at first treatment;
    everybody is then at risk of stroke for some days, and somewhat too high a dose shortens them.
    """
    predicted, stable = _doses(predicted_mg_week=predicted_mg_week), _doses(stable_mg_week=stable_mg_week)
    if (stable <= 0).any():
        raise InvalidInput("stable_mg_week: must be > 0, leave other patients out")
    genes = (_genotypes(CLEARANCE_LOST, cyp2c9=cyp2c9), _genotypes((*HALF_EFFECT, "unknown"), vkorc1=vkorc1))
    years = _ages(age)
    if not len(predicted) == len(stable) == len(genes[0]) == len(genes[1]) == len(years) >= 2:
        raise InvalidInput("patients: all five arguments must have the same length, at least 2")
    one_of(STARTS, start=start)
    patients, adjusted = _patients(stable, *genes, years, _target(target_inr))
    before = stable if start == "stable" else None
    inrs = [simulate_inr(d, patients, days=whole(days=days), before_mg_week=before) for d in (predicted, stable)]
    return _risk(inrs[0], inrs[1], float(np.mean(adjusted)))


def _doses(**named: npt.ArrayLike) -> Array:
    ((name, data),) = named.items()
    try:
        doses = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name}: must be numbers, mg a week") from None
    if doses.ndim != 1 or not np.isfinite(doses).all() or (doses < 0).any():
        raise InvalidInput(f"{name}: must be one finite number >= 0 for each patient, clip the model's predictions")
    return doses


def _ages(age: npt.ArrayLike) -> Array:
    try:
        years = np.asarray(age, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("age: must be numbers, years") from None
    if years.ndim != 1 or not ((years >= AGES[0]) & (years <= AGES[1])).all():
        raise InvalidInput(f"age: must be years from {AGES[0]:g} to {AGES[1]:g}, one for each patient")
    return years


def _genotypes(
    known: Sequence[str] | dict[str, float], **named: Sequence[str] | npt.NDArray[np.str_]
) -> npt.NDArray[np.str_]:
    ((name, data),) = named.items()
    kinds = np.asarray(data, dtype=str)
    if kinds.ndim != 1 or not np.isin(kinds, list(known)).all():
        raise InvalidInput(f"{name}: must be one of {', '.join(known)} for each patient")
    return kinds


def _target(target_inr: float) -> float:
    if not RANGE[0] <= positive(target_inr=target_inr) <= RANGE[1]:
        raise InvalidInput(f"target_inr={shown(target_inr)}: must be in {RANGE[0]:g} to {RANGE[1]:g}")
    return float(target_inr)


def _patients(
    stable: Array, cyp2c9: npt.NDArray[np.str_], vkorc1: npt.NDArray[np.str_], age: Array, target_inr: float
) -> tuple[Patients, npt.NDArray[np.bool_]]:
    """The published patients where they agree with the stable dose, and who had to be adjusted."""
    cleared = clearance(cyp2c9, age)
    typical = np.array([HALF_EFFECT.get(str(kind), math.inf) for kind in vkorc1])
    inr = steady_inr(stable, Patients(cleared, typical))
    adjusted = (inr < RANGE[0]) | (inr > RANGE[1])  # an unknown gene has no effect so far, so INR 1
    return Patients(cleared, np.where(adjusted, half_effect_for(target_inr, stable, cleared), typical)), adjusted


def _risk(inr: Array, stable_inr: Array, individualised: float) -> Risk:
    events, stable_events = _events(inr), _events(stable_inr)
    stroke, bleeding, death = (_relative(a, b) for a, b in zip(events, stable_events, strict=True))
    return Risk(
        stroke=stroke,
        bleeding=bleeding,
        death=death,
        time_in_range=_in_range(inr),
        stable_time_in_range=_in_range(stable_inr),
        mean_inr=float(np.mean(inr)),
        individualised=individualised,
        patients=inr.shape[1],
        days=inr.shape[0],
    )


def _events(inr: Array) -> tuple[Array, Array, Array]:
    """Each patient's strokes, major bleedings and deaths from them, in 100 patient-years."""
    stroke, inside, outside = STROKE.at(inr), INTRACRANIAL.at(inr), EXTRACRANIAL.at(inr)
    death = stroke * STROKE_FATAL.at(inr) + inside * INTRACRANIAL_FATAL + outside * EXTRACRANIAL_FATAL
    return stroke.mean(axis=0), (inside + outside).mean(axis=0), death.mean(axis=0)


def _relative(events: Array, stable: Array) -> Relative:
    """A ratio of means; its error by the first-order formula for pairs."""
    mean, base = float(np.mean(events)), float(np.mean(stable))
    ratio = mean / base
    error = float(np.std(events - ratio * stable, ddof=1)) / math.sqrt(len(events)) / base
    return Relative(ratio, error, mean, base)


def _in_range(inr: Array) -> float:
    return float(np.mean((inr >= RANGE[0]) & (inr <= RANGE[1])))
