"""
A first private model
=====================

Two measurements of six thousand made-up people, and whether each fell ill. We fit a logistic regression without
privacy and two private ones, and compare the lines at which they say fifty-fifty.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

import equipoise as eq

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(6000, 2))
y = (2 * X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=6000) > 0.3).astype(int)

# %%
# **What is public** has to be said before anybody looks: here each measurement lies between −1 and 1, and the labels
# are 0 and 1. The ledger refuses what would exceed its limit.

ledger = eq.Ledger(epsilon=2.0, delta=1e-5)
public = {"column_bounds": [(-1, 1), (-1, 1)], "delta": 1e-6, "ledger": ledger}
careful = eq.LogisticRegression(epsilon=0.1, **public)
print(careful.plan(n=6000, d=2))

# %%
# The plan looked at no record and cost nothing. A fit debits first and then looks.

careful.fit(X, y)
usual = eq.LogisticRegression(epsilon=1.0, **public).fit(X, y)
print(f"spent: {ledger.spent().epsilon:.2f} of 2")

# %%
# Released coefficients are ordinary numbers: copying them, plotting them and predicting with them costs nothing more.

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
shown = slice(0, 500)  # these people are made up, so they may be drawn
ax.scatter(*X[shown].T, c=y[shown], cmap="coolwarm", s=8, alpha=0.5)
across = np.array([-1.0, 1.0])
for model, name, style in [
    (LogisticRegression().fit(X, y), "without privacy", "k-"),
    (usual, "ε = 1", "g--"),
    (careful, "ε = 0.1", "m:"),
]:
    (a, b), c = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    ax.plot(across, -(a * across + c) / b, style, linewidth=2, label=name)
ax.set(xlim=(-1, 1), ylim=(-1, 1), xlabel="first measurement", ylabel="second measurement")
ax.legend(loc="lower right")
plt.show()

# %%
# The card says in words what was promised, to file with the model.

print(usual.card())
