"""What to cite for what was run."""

from __future__ import annotations

from equipoise.theory.mechanisms import EVERY, about

DWORK = "Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data analysis. TCC 2006."
DEFINITION = "Dwork, Roth: The algorithmic foundations of differential privacy. 2014."
GUESS = "Kairouz, Oh, Viswanath: The composition theorem for differential privacy. ICML 2015."
CHAUDHURI = "Chaudhuri, Monteleoni, Sarwate: Differentially private empirical risk minimization. JMLR 12, 2011."
WU = "Wu, Fredrikson, Wu, Jha, Naughton: Revisiting differentially private regression. 2015."
JAIN = "Jain, Thakurta: (Near) dimension independent risk bounds for differentially private learning. ICML 2014."
KIFER = "Kifer, Smith, Thakurta: Private convex empirical risk minimization. COLT 2012."
BASSILY = "Bassily, Smith, Thakurta: Private empirical risk minimization. FOCS 2014."
DONG = "Dong, Roth, Su: Gaussian differential privacy. J. R. Stat. Soc. B 84, 2022."
VINTERBO = "Chaudhuri, Vinterbo: A stability-based validation procedure. NIPS 2013."
LIU = "Liu, Talwar: Private selection from private candidates. STOC 2019."
HISTOGRAM = "Vinterbo: Differentially private projected histograms. ECML PKDD 2012."
FUNCTIONAL = "Zhang, Zhang, Xiao, Yang, Winslett: Functional mechanism. VLDB 2012."
ADASSP = "Wang: Revisiting differentially private linear regression. UAI 2018."
FLIP = "McKenna, Sheldon: Permute-and-flip. NeurIPS 2020."
PREDICTION = "Dwork, Feldman: Privacy-preserving prediction. COLT 2018."

BEHIND: dict[str, tuple[str, ...]] = {
    "output": (WU, CHAUDHURI),
    "output-as-printed": (WU,),
    "objective": (CHAUDHURI, KIFER, JAIN),
    "noisy-gradient": (BASSILY, DONG),
    "sufficient-statistics": (ADASSP,),
    "functional": (FUNCTIONAL,),
    "projected-histogram": (HISTOGRAM,),
    "stability search": (VINTERBO,),
    "data-split search": (CHAUDHURI, FLIP),
    "budget-split search": (VINTERBO, FLIP),
    "random search": (VINTERBO,),
    "random-stop search": (LIU,),
    "histogram-density": (VINTERBO, FLIP),
    "reliability": (DWORK,),
    "transfer": (PREDICTION,),
}
"""By the names of `theory/mechanisms.py`."""


def papers(mechanism: str) -> tuple[str, ...]:
    """The definition, what the mechanism rests on, and where the attacker's best guess comes from."""
    about(mechanism)  # an unknown one is refused by name
    return tuple(dict.fromkeys((DEFINITION, *BEHIND.get(mechanism, ()), GUESS)))


def missing() -> list[str]:
    """Mechanisms that nobody is thanked for."""
    return [each.name for each in EVERY if each.name not in BEHIND]
