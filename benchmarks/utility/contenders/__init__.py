"""The contenders, one file each under one protocol (`contract.py`)."""

from __future__ import annotations

from benchmarks.utility.contenders import (
    adassp,
    additive,
    amp,
    auto,
    diffprivlib,
    dp_ebm,
    dp_sgd,
    huber,
    mechanisms,
    noisy_gradient,
    objective,
    references,
)
from benchmarks.utility.contenders.contract import Contender

CONTENDERS: dict[str, Contender] = {
    contender.name: contender
    for file in (
        references,
        auto,
        mechanisms,
        huber,
        additive,
        diffprivlib,
        dp_ebm,
        dp_sgd,
        noisy_gradient,
        objective,
        amp,
        adassp,
    )
    for contender in file.CONTENDERS
}

__all__ = ["CONTENDERS", "Contender"]
