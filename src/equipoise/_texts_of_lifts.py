"""Texts of the estimators on lifted rows, pairs and other penalties, by the rules of `_texts.py`."""

from __future__ import annotations

OWN = {
    "PairwiseRanker.pairs": (
        'str: Over which pairs the mean is taken: "all". "cross", those of different classes alone, is refused: how'
        " many there are is a secret of the labels."
    ),
    "PairwiseRanker.partners": (
        'int or "auto": How many others each record is compared with, public; even, or all of them. "auto" takes all,'
        " or as many as memory holds. The noise is the same for any."
    ),
    "PairwiseRanker.adjacency": 'str: Must be "replace-one": the number of rows is public.',
    "PairwiseRanker.mechanism": 'str: "auto", "output", "objective", "noisy-gradient" or "sgd".',
    "BridgeRegressor.power": "float: p of the penalty Σ|w|^p, above 1 and at most 2. The closer to 1, the sparser.",
    "BridgeRegressor.mechanism": 'str: "auto" or "output"; power 2, the ridge, has those of `LinearRegression`.',
    "BridgeRegressor.alpha": (
        'float or "auto": The penalty\'s curvature where it is least, at the largest coefficient that data can have;'
        ' for power 2 the weight of ½‖w‖². "auto" takes that of least predicted risk, from public facts.'
    ),
    "KernelClassifier.kernel": 'str: "rbf", exp(−‖x − x′‖²/(2h²)), or "laplace", exp(−‖x − x′‖₁/h).',
    "KernelClassifier.bandwidth": (
        'float or "auto": h, in units of the longest row; smaller ones follow finer shapes and need more records.'
        ' "auto" is a usual one.'
    ),
    "KernelClassifier.frequencies": (
        'int or "auto": How many frequencies, each a cosine and a sine. "auto" takes more the more records and epsilon'
        " there are."
    ),
    "KernelClassifier.loss": 'str: "logistic", or "hinge", for two classes and without probabilities.',
    "KernelClassifier.coef_norm": (
        "float or None: Radius of the ball that the features' weights are kept in. None leaves it to the mechanism."
    ),
    "KernelClassifier.column_bounds": (
        "pair, list of pairs, dict or None: Public range (low, high) of each column. Values beyond are clipped, columns"
        " are centred and scaled by it, and a missing value counts as the middle."
    ),
    "MultiTaskRegressor.tasks": (
        "list: The tasks, all of them, known without the data: names or numbers. Required: `BoundsRequired` without. In"
        " an array, which holds no names, a named task is its place in this list."
    ),
    "MultiTaskRegressor.task_column": "int or str: Which column says the task: its place, or its name in a data frame.",
    "MultiTaskRegressor.coupling": (
        "float: The part of a coefficient's variance that all tasks share, public: from 0, a model for each task, to 1,"
        " one for all."
    ),
    "MultiTaskRegressor.loss": 'str: "squared", or "huber", by which outlying labels pull no harder than others.',
    "MultiTaskRegressor.threshold": (
        "float or None: Of the Huber loss, in the labels' units: residuals beyond it count linearly. None takes a"
        " quarter of the label range."
    ),
    "MultiTaskRegressor.coef_norm": (
        "float or None: Radius of the ball that all coefficients together are kept in. None leaves it to the mechanism."
    ),
    "MultiTaskRegressor.column_bounds": (
        "pair, list of pairs, dict or None: Public range (low, high) of each column but the tasks', in their order."
        " Values beyond are clipped, columns are centred and scaled by it, and a missing value counts as the middle."
    ),
}

ATTRIBUTES = {
    "tasks_": "array: The tasks, in the order of `task_coef_`.",
    "task_coef_": "array of shape (tasks, d - 1): Coefficients of each task in the columns' own units.",
    "task_intercept_": "array of shape (tasks,): Intercepts of each task.",
    "shared_coef_": "array of shape (d - 1,): Of the common model, which a task that is not listed has.",
    "shared_intercept_": "float: Its intercept.",
}

_TASKS = ("tasks_", "task_coef_", "task_intercept_", "shared_coef_", "shared_intercept_")
_MODEL = ("coef_", "intercept_", "guarantee_", "model_", "n_features_in_", "feature_names_in_")

FITTED = {"ranker": _MODEL, "tasks": (*_TASKS, *_MODEL)}
