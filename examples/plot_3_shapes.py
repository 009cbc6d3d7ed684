"""
Shapes instead of straight lines
================================

An additive model has one curve for each column. The band around a curve says how much of it may be privacy noise. It
is a worst case, computed from the plan and not from the records, so it costs nothing; curves are usually much nearer.
"""

import matplotlib.pyplot as plt
import numpy as np

import equipoise as eq

rng = np.random.default_rng(0)
n = 20_000
age, dose = rng.uniform(20, 90, n), np.minimum(rng.exponential(3, n), 10)
truth = {"age": lambda x: ((x - 50) / 20) ** 2, "dose": lambda x: -np.minimum(x, 4) / 2}
chance = 1 / (1 + np.exp(-(truth["age"](age) + truth["dose"](dose) - 1)))
sick = (rng.random(n) < chance).astype(int)

# %%
# Bounds are public; that more of the drug never harms is public knowledge too, and asking for it is free.

public = {"column_bounds": [(20, 90), (0, 10)], "monotone": {1: -1}}
model = eq.AdditiveClassifier(epsilon=1.0, delta=1e-6, **public)
model.fit(np.column_stack([age, dose]), sick)

# %%
# Each shape is a list of values at public knots. Shapes are read up to a constant, so both are centred here.

fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, shape, name in zip(axes, model.shapes_, truth, strict=True):
    knots = np.array(shape.grid[0], dtype=float)
    middle, noise = shape.values - shape.values.mean(), 2 * shape.noise
    ax.fill_between(knots, middle - noise, middle + noise, alpha=0.25, label="noise at most")
    ax.plot(knots, middle, marker="o", markersize=3, label="released, ε = 1")
    ax.plot(knots, truth[name](knots) - truth[name](knots).mean(), "k--", label="truth")
    ax.set(xlabel=name)
axes[0].set_ylabel("adds to the log-odds")
axes[0].legend()
plt.show()
