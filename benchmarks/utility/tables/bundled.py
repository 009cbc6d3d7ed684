"""The small tables that scikit-learn carries."""

from __future__ import annotations

import numpy as np
from sklearn import datasets

from benchmarks.utility.problem import DESIGN, Number, Problem, Spec, tabular

CELL = {
    "radius": (5, 30), "texture": (5, 40), "perimeter": (40, 200), "area": (100, 2000), "smoothness": (0.05, 0.17),
    "compactness": (0, 0.35), "concavity": (0, 0.45), "concave points": (0, 0.2), "symmetry": (0.1, 0.3),
    "fractal dimension": (0.05, 0.1),
}  # fmt: skip
"""Of nuclei in a fine-needle sample, in micrometres; the standard error is taken to be up to a fifth of the range,
the worst of three up to one and a half times the mean's."""

WINE = (
    ("alcohol", 11, 15), ("malic_acid", 0.5, 6), ("ash", 1.3, 3.3), ("alcalinity_of_ash", 10, 30),
    ("magnesium", 70, 165), ("total_phenols", 0.9, 4), ("flavanoids", 0.3, 5.1), ("nonflavanoid_phenols", 0.1, 0.7),
    ("proanthocyanins", 0.4, 3.6), ("color_intensity", 1, 13), ("hue", 0.4, 1.8),
    ("od280/od315_of_diluted_wines", 1.2, 4), ("proline", 250, 1700),
)  # fmt: skip

IRIS = (("sepal length (cm)", 4, 8), ("sepal width (cm)", 2, 4.5), ("petal length (cm)", 1, 7),
        ("petal width (cm)", 0, 2.6))  # fmt: skip


def breast_cancer() -> Problem:
    """Malignant or benign, from thirty measures of cell nuclei."""
    found = datasets.load_breast_cancer()
    columns = []
    for name in found.feature_names:
        kind = name.replace("mean ", "").replace(" error", "").replace("worst ", "")
        low, high = CELL[kind]
        if name.endswith(" error"):
            low, high = 0, (high - low) / 5
        elif name.startswith("worst"):
            high *= 1.5
        columns.append(Number(name, low, high))
    return _table("breast_cancer", found, tuple(columns), 2)


def wine() -> Problem:
    """Which of three growers, from a chemical analysis."""
    return _table("wine", datasets.load_wine(), tuple(Number(*column) for column in WINE), 3)


def iris() -> Problem:
    """Which of three species, from four lengths."""
    return _table("iris", datasets.load_iris(), tuple(Number(*column) for column in IRIS), 3)


def digits() -> Problem:
    """A handwritten digit on eight by eight points of seventeen shades."""
    found = datasets.load_digits()
    return _table("digits", found, tuple(Number(name, 0, 16) for name in found.feature_names), 10)


def diabetes() -> Problem:
    """Progress of the disease in a year; ranges are those of clinic."""
    found = datasets.load_diabetes(scaled=False)
    ranges = ((18, 80), (1, 2), (15, 45), (60, 140), (90, 310), (40, 250), (20, 100), (2, 10), (3, 6.2), (55, 130))
    columns = tuple(Number(name, *pair) for name, pair in zip(found.feature_names, ranges, strict=True))
    values = {name: found.data[:, place] for place, name in enumerate(found.feature_names)}
    return tabular("diabetes", columns, values, found.target, (0.0, 350.0))


def _table(name: str, found: datasets._base.Bunch, columns: tuple[Number, ...], classes: int) -> Problem:
    values = {str(column): found.data[:, place] for place, column in enumerate(found.feature_names)}
    return tabular(name, columns, values, np.asarray(found.target, dtype=int), classes=classes)


SPECS = tuple(
    Spec(load.__name__, DESIGN, "scikit-learn", load) for load in (breast_cancer, wine, iris, digits, diabetes)
)
