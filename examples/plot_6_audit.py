"""
An audit that breaks a broken mechanism
=======================================

A claim of privacy can be refuted by whoever can call the release. Three releases of a sum claim ε = 1. One is right;
one has half the noise that it needs; one lets an error tell.
"""

import matplotlib.pyplot as plt
import numpy as np

from equipoise.audit import lower_bound

rng = np.random.default_rng()


def right(data):
    return sum(data) + rng.laplace(scale=1.0)


def half_the_noise(data):
    return sum(data) + rng.laplace(scale=0.5)


def telling_error(data):
    if max(data) > 0:  # "nobody of that kind here" is an answer too
        return sum(data) + rng.laplace(scale=1.0)
    raise ValueError("nothing to add up")


# %%
# Two neighbouring tables differ in one person. The audit draws releases on both, learns how to tell them apart from one
# part of the draws and counts on another: what it proves holds with 99 % confidence.

found = {
    release.__name__: lower_bound(release, [0, 0, 0], [0, 0, 1], samples=20_000, confidence=0.99)
    for release in (right, half_the_noise, telling_error)
}
for name, bound in found.items():
    print(f"{name}: {bound}\n")

# %%
# A bar beyond the line refutes the claim. A bar below confirms nothing: the tables may not be the worst ones.

fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
proved = [bound.epsilon for bound in found.values()]
ax.barh(list(found), proved, color=["C0" if each <= 1 else "C3" for each in proved])
ax.axvline(1.0, color="k", label="claimed")
ax.invert_yaxis()
ax.set(xlabel="ε is at least")
ax.legend()
plt.show()
