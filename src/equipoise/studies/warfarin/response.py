"""INR over time on a fixed dose of warfarin: a simplified form of the published model, for many patients at once.

- [Hamberg] Hamberg et al., Clin Pharmacol Ther 2007;81:529-538: how S-warfarin is cleared, by CYP2C9 and age, and how
  its concentration moves INR, by VKORC1.  The typical values are used; variation between patients is not.

Simplified here: the daily dose is taken evenly over the day, so absorption drops out and the steady state has a
formula; half of the dose is S-warfarin and R-warfarin does nothing; INR before treatment is 1.  The article's transit
time of the fast chain, 11.6 h, is read as that of all six steps together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

CLEARANCE = 0.314
"""[Hamberg] litres of S-warfarin an hour for CYP2C9 *1/*1 at 71 years; apparent, so bioavailability is in it."""

CLEARANCE_LOST = {  # [Hamberg] share of the clearance that a genotype lacks
    "*1/*1": 0.0,
    "*1/*2": 0.315,
    "*1/*3": 0.453,
    "*2/*2": 0.722,
    "*2/*3": 0.690,
    "*3/*3": 0.852,
    "unknown": 0.0,  # assumed: taken for the most common genotype
}
AGE_EFFECT, AGE_CENTRE = 0.0091, 71.0
"""[Hamberg] share of the clearance lost for each year above 71."""

VOLUME, OUTER_VOLUME, EXCHANGE = 13.8, 6.59, 0.131
"""[Hamberg] litres in the blood's compartment, litres in the outer one, litres an hour between them."""

HALF_EFFECT = {"G/G": 4.61, "A/G": 3.02, "G/A": 3.02, "A/A": 2.20}
"""[Hamberg] mg/l of S-warfarin that halve the synthesis of clotting factors, by VKORC1 -1639."""

STEEPNESS, INR_POWER, INR_RISE = 0.424, 3.61, 20.0
"""[Hamberg] γ of the effect, λ of INR, and the largest rise of INR (fixed by the authors)."""

FAST, SLOW, STEPS = 11.6, 120.0, 6
"""[Hamberg] mean hours through the two chains of clotting factors; the fast one has six steps, the slow one is one."""

BASE_INR = 1.0
"""Assumed: INR of somebody who takes no warfarin."""

DAY, S_SHARE = 24, 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Patients:
    """What the model knows of each patient: clearance in l/h, and mg/l of S-warfarin for half the effect."""

    clearance: Array
    half_effect: Array


def clearance(cyp2c9: npt.NDArray[np.str_], age: Array) -> Array:
    """Litres of S-warfarin an hour."""
    lost = np.array([CLEARANCE_LOST[str(kind)] for kind in cyp2c9])
    return np.asarray(CLEARANCE * (1 - lost) * (1 - AGE_EFFECT * (age - AGE_CENTRE)), dtype=np.float64)


def steady_inr(mg_week: Array, patients: Patients) -> Array:
    """INR when the dose has been taken for ever: both chains then hold what is still made of the factors."""
    made = 1 - _inhibition(_steady_concentration(mg_week, patients.clearance), patients.half_effect)
    return np.asarray(BASE_INR + INR_RISE * (1 - made**2) ** INR_POWER, dtype=np.float64)


def half_effect_for(inr: float, mg_week: Array, cleared: Array) -> Array:
    """The half-effect concentration of a patient whom this dose keeps at this INR: `steady_inr` turned round."""
    lost = 1 - np.sqrt(1 - ((inr - BASE_INR) / INR_RISE) ** (1 / INR_POWER))
    ratio = (lost / (1 - lost)) ** (1 / STEEPNESS)
    return np.asarray(_steady_concentration(mg_week, cleared) / ratio, dtype=np.float64)


def simulate_inr(mg_week: Array, patients: Patients, *, days: int, before_mg_week: Array | None = None) -> Array:
    """INR at the end of each day, one row a day; `before_mg_week` was taken until then for ever (default: nothing)."""
    before = np.zeros_like(mg_week) if before_mg_week is None else before_mg_week
    start, end = (_steady_concentration(dose, patients.clearance) for dose in (before, mg_week))
    made = 1 - _inhibition(start, patients.half_effect)
    fast, slow = np.tile(made, (STEPS + 1, 1)), made.copy()  # row 0 is what is made, the rest are the steps
    leftover = _leftover(patients.clearance)
    result = np.empty((days, len(mg_week)))
    for day in range(days):
        hours = np.arange(day * DAY, (day + 1) * DAY)[:, None]
        for now in 1 - _inhibition(end + (start - end) * leftover(hours), patients.half_effect):
            # Plain Euler steps of an hour keep every step's mean transit time exactly.
            fast[0] = now
            fast[1:] += STEPS / FAST * (fast[:-1] - fast[1:])
            slow += (now - slow) / SLOW
        result[day] = BASE_INR + INR_RISE * np.maximum(1 - fast[-1] * slow, 0) ** INR_POWER
    return result


def _steady_concentration(mg_week: Array, cleared: Array) -> Array:
    return np.asarray(S_SHARE * mg_week / (7 * DAY) / cleared, dtype=np.float64)


def _inhibition(concentration: Array, half_effect: Array) -> Array:
    strength = (concentration / half_effect) ** STEEPNESS
    return np.asarray(strength / (1 + strength), dtype=np.float64)


def _leftover(cleared: Array) -> Callable[[npt.NDArray[np.int64]], Array]:
    """How much of a change of dose the blood has not yet felt after some hours: 1, then down to 0 in two phases.

    The two rates are those of a blood compartment that clears and exchanges with an outer one.
    """
    out, across, back = cleared / VOLUME, EXCHANGE / VOLUME, EXCHANGE / OUTER_VOLUME
    middle = (out + across + back) / 2
    gap = np.sqrt(middle**2 - out * back)
    quick, gentle = middle + gap, middle - gap
    share = (out - gentle) / (quick - gentle)  # from the slope at the change, which is −out
    return lambda hours: np.asarray(share * np.exp(-quick * hours) + (1 - share) * np.exp(-gentle * hours))
