"""Texts of the estimators over the simplex, by the rules of `_texts.py`."""

from __future__ import annotations

_SHARED = {
    "mechanism": (
        'str: "sample" draws columns from the entropy-regularised minimiser, "frank-wolfe" steps to drawn columns, '
        '"auto" is what public facts predict to do better.'
    ),
    "alpha": 'float or "auto": Weight of the entropy beside the mean loss; "auto" from public facts.',
    "row_norm": (
        "float: Public bound on every entry of a row (its L∞ norm). Entries beyond are clipped, in the fit and in "
        "every prediction."
    ),
    "coef_norm": (
        "float or None: The L1 norm of the coefficients, the largest any model can have, in the labels' units. None "
        "takes a usual one."
    ),
    "signed": "bool: Whether coefficients may be negative; every column is then taken both ways.",
    "fit_intercept": "bool: Whether to fit an intercept, by a constant column of row_norm taken both ways.",
    "adjacency": 'str: Must be "replace-one": the number of rows is public.',
}

OWN = {
    **{f"SimplexRegressor.{name}": text for name, text in _SHARED.items()},
    **{f"SimplexClassifier.{name}": text for name, text in _SHARED.items()},
    "SimplexModel.estimator": "str: The name of the estimator that was fitted.",
    "SimplexModel.mixture": "Mixture: The corners that were drawn and their weights, which add up to one.",
    "SimplexModel.coef_norm": "float: The L1 norm of the coefficients, in the labels' units.",
    "SimplexModel.row_norm": "float: Entries of rows are clipped to this.",
    "SimplexModel.centre": "float: Predicted where every score is zero: the middle of the label bounds, or 0.",
    "SimplexModel.classes": "tuple or None: The two classes; None for a regressor.",
    "SimplexModel.loss": "Loss: What was minimised, in the units of the fit.",
    "SimplexModel.guarantee": "Guarantee: What was promised.",
    "SimplexModel.feature_names": "tuple of str or None: Names of the columns, where the table had them.",
    "SimplexModel.origin": "Origin or None: When, by which version, from what account.",
    "SimplexFTRL.experts": "int: How many experts there are; required.",
    "SimplexFTRL.horizon": 'int or "double": How many rounds there will be at most; required. "double": nobody knows.',
    "SimplexFTRL.cost_bound": "float: Public bound on the size of every cost.",
    "SimplexFTRL.outside": (
        'str: "clip" takes a cost beyond its bound as the bound. "refuse" refuses it, which shows that there was one: '
        "your word that this is public."
    ),
    "SimplexFTRL.partial_fit.cost": "array of shape (experts,): What each expert would have cost in this round.",
    "SimplexFTRL.regret.costs": "array of shape (rounds, experts) or None: Public costs, for a simulation.",
}

ATTRIBUTES = {
    "sparse_coef_": "sparse array of shape (1, d): The coefficients that are not zero.",
    "decisions_": "list of int: The expert of each round, released.",
    "rounds_": "int: Rounds that are over.",
}

_MODEL = ("intercept_", "guarantee_", "model_", "n_features_in_", "feature_names_in_")

FITTED = {
    "simplex classifier": ("coef_", "sparse_coef_", "classes_", *_MODEL),
    "simplex regressor": ("coef_", "sparse_coef_", *_MODEL),
    "experts": ("decisions_", "rounds_", "guarantee_"),
}
