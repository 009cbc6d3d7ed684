"""
Choose a setting within one price
=================================

Trying five values of ``alpha`` by five fits costs five times ε, and looking at a score on private rows costs as well. A
search of :mod:`equipoise.tuning` chooses and fits within the ε of one estimator, however many settings there are.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import equipoise as eq
from equipoise.tuning import (
    BudgetSplitSearch,
    DataSplitSearch,
    NoisyChoice,
    RandomSearch,
    StabilitySearch,
)

rng = np.random.default_rng(0)
weights = rng.normal(size=10)


def people(n):
    X = rng.normal(size=(n, 10)) / np.sqrt(10)
    return X, (X @ weights + 0.2 * rng.normal(size=n) > 0).astype(int)


X, y = people(8000)
X_test, y_test = people(4000)
grid = {"alpha": [0.001, 0.01, 0.1, 1.0, 10.0]}

# %%
# One search, one debit, one model. Nothing but the chosen setting and its model comes out.

ledger = eq.Ledger(epsilon=1.0)
search = DataSplitSearch(eq.LogisticRegression(epsilon=1.0), grid, ledger=ledger).fit(X, y)
print("chosen:", search.best_params_, " spent:", ledger.spent().epsilon)

# %%
# Which search? On simulated people we may compare them, three times each. The plain estimator, which takes alpha from
# public facts and chooses nothing, is hard to beat: tune when you know something it does not.

warnings.simplefilter("ignore", NoisyChoice)  # a stability search says when a choice is little more than chance
epsilons = [0.1, 0.3, 1.0, 3.0]


def mean_score(model):
    return np.mean([model.fit(X, y).score(X_test, y_test) for _ in range(3)])


fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
for kind in (StabilitySearch, DataSplitSearch, BudgetSplitSearch, RandomSearch):
    found = [mean_score(kind(eq.LogisticRegression(e), grid)) for e in epsilons]
    ax.plot(epsilons, found, marker="o", label=kind.__name__)
plain = [mean_score(eq.LogisticRegression(e)) for e in epsilons]
ax.plot(epsilons, plain, "k--", label="no search: alpha from public facts")
ax.set(xscale="log", xlabel="ε of the whole search", ylabel="accuracy on new people")
ax.legend()
plt.show()
