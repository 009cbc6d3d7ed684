"""
What privacy costs: accuracy against ε
======================================

Smaller ε promises more and costs accuracy. How much depends on the number of rows: noise that spoils a model of 500
people is hardly seen in one of 8,000. Each point is the mean of five fits with fresh noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

import equipoise as eq

rng = np.random.default_rng(0)
weights = rng.normal(size=8)


def people(n):
    X = rng.uniform(-1, 1, size=(n, 8))
    return X, (X @ weights + 0.7 * rng.normal(size=n) > 0).astype(int)


X_test, y_test = people(4000)  # made up for measuring: nobody to protect

# %%
# No ledger here: these people are simulated and the fits are a study. With real records each fit would be charged.


def model(epsilon):
    return eq.LogisticRegression(epsilon, delta=1e-6, column_bounds=[(-1, 1)] * 8)


epsilons = [0.03, 0.1, 0.3, 1.0, 5.0]
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
for n, colour in [(500, "C0"), (2000, "C1"), (8000, "C2")]:
    X, y = people(n)
    found = [[model(e).fit(X, y).score(X_test, y_test) for _ in range(5)] for e in epsilons]
    means, errors = np.mean(found, axis=1), np.std(found, axis=1) / np.sqrt(5)
    ax.errorbar(epsilons, means, errors, color=colour, marker="o", capsize=3, label=f"{n:,} people")
    without = LogisticRegression().fit(X, y).score(X_test, y_test)
    ax.axhline(without, color=colour, linestyle=":", linewidth=1)
ax.set(xscale="log", xlabel="ε", ylabel="accuracy on new people", ylim=(0.45, 1))
ax.axhline(0.5, color="0.7", linewidth=1)
ax.legend(title="dotted: without privacy", loc="lower right")
plt.show()

# %%
# Before spending anything, `plan(n, d)` predicts what the noise will cost, from public facts alone.

print(model(0.3).plan(n=2000, d=8))
