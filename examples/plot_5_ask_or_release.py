"""
Ask, or release a model?
========================

A predictor of :mod:`equipoise.answering` keeps its models inside and charges for each answer. A released model is paid
for once and answers for ever. Which errs less within one budget? ``compare_with_release`` says so in advance, from
public facts alone, for free.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.tree import DecisionTreeClassifier

import equipoise as eq
from equipoise.answering import StablePredictor, VotingPredictor

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(8000, 20)) / np.sqrt(20)
y = (X[:, 0] + X[:, 1] > 0).astype(int)

# %%
# Fitting spends nothing; only answers do.

ledger = eq.Ledger(epsilon=1.0, delta=1e-6)
stable = StablePredictor(epsilon=0.1, loss="logistic", ledger=ledger).fit(X, y)
advice = stable.compare_with_release(100, budget=(1.0, 1e-6))
print(advice)

fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
advice.plot(ax)
plt.show()

# %%
# Answers are for few questions, or where no linear model will do: a vote of trees, each on its own part of the people,
# costs what a vote of anything costs.

stripes = (np.floor(6 * X[:, 0] * np.sqrt(20)) % 2).astype(int)
trees = VotingPredictor(DecisionTreeClassifier(max_depth=6), epsilon=0.1, shards=80, ledger=ledger)
trees.fit(X[:, :2] * np.sqrt(20), stripes)
asked = np.array([[-0.9, 0], [-0.75, 0], [-0.6, 0], [-0.4, 0], [-0.25, 0]])
print("answers:", trees.predict(asked), " spent:", round(ledger.spent().epsilon, 2))
