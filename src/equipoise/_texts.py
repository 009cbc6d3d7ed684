"""One text for each parameter and attribute of the public classes: "type: what it is"."""

from __future__ import annotations

from equipoise import _texts_of_corners as corners
from equipoise import _texts_of_lifts as lifted

PARAMETERS = {
    "epsilon": "float: The privacy loss ε that may be spent, above 0. Smaller is more private.",
    "delta": (
        "float: The δ that may be spent, in [0, 1). 0 asks for pure differential privacy; otherwise keep it "
        "far below one over the number of rows."
    ),
    "mechanism": (
        'str: How the model is released: "auto" (least predicted risk, from public facts), "output", '
        '"objective", "noisy-gradient", "sgd" (or an `equipoise.stability.SGD`, with steps of your own), and for '
        'linear regression "sufficient-statistics", "functional", "momentum" (or an `equipoise.stability.HeavyBall` or '
        "`Nesterov`), "
        '"projected-histogram", "output-as-printed".'
    ),
    "alpha": (
        'float, "auto" or "dimension-free": Weight of ½‖w‖² beside the mean loss. "auto" takes that of least '
        'predicted risk, from public facts; "dimension-free" (delta > 0) that of the least bound on excess risk, in '
        "which the number of columns does not occur."
    ),
    "l1_ratio": (
        "float: The share of the L1 part in the penalty, in [0, 1), as in scikit-learn's ElasticNet: beside "
        "(alpha/2)‖w‖² stands alpha·l1_ratio/(1 − l1_ratio)·‖w‖₁. 1 would be the lasso, whose minimiser one "
        "record can move at will."
    ),
    "row_norm": (
        "float: Public bound on the L2 norm of a row. Longer rows are scaled down to it, in the fit and in "
        "every prediction. Not used where column_bounds are given, except as the unit of their scaling."
    ),
    "fit_intercept": (
        "bool: Whether to fit an intercept, by a constant column of half the row norm, or less where a plan says so."
    ),
    "classes": (
        'list or None: The labels, all of them, known without the data; the second of two is "positive". None '
        'means 0 and 1. "observed" is your word that the set of labels is public. A label that is none of '
        "them counts as the first."
    ),
    "label_bounds": (
        "pair of floats: Public range (low, high) of the labels, known without the data. Labels beyond it are "
        "clipped. Required for regression: `BoundsRequired` without."
    ),
    "adjacency": (
        'str: Which tables count as neighbours: "replace-one" (same public number of rows, one differs) or '
        '"add-remove" (the number of rows is secret).'
    ),
    "public_n": "int or None: A public nominal number of rows; required under add-remove, not used otherwise.",
    "rows_per_person": (
        "int or None: Public cap on the rows of one person; of each the first so many rows are used. Goes "
        "with groups= in fit, and then the unit of privacy is the person. None where the unit is the row."
    ),
    "coef_norm": (
        "float or None: Radius of the ball the coefficients are kept in, in the labels' units. None leaves it "
        "to the mechanism, which takes a usual one where its theorem needs one."
    ),
    "column_bounds": (
        "pair, list of pairs, dict or None: Public range (low, high) of each column: one for all, one each, or by name"
        " or place. Values beyond are clipped, columns "
        "are centred and scaled by it, and a missing value counts as the middle. Coefficients come back in "
        "the columns' own units."
    ),
    "centre": (
        "array or None: A published model to shrink towards: coefficients and then the intercept, one row for "
        "each class where there are more than two. None is zero."
    ),
    "ledger": ("Ledger, SQLLedger or None: The account that pays, debited before a record is read. None keeps none."),
    "random_state": (
        "int or None: None draws secure noise. A seed makes the result repeatable and NOT PRIVATE: for tests only."
    ),
    "noise": 'str: Whose exact samplers draw the noise: "equipoise" or "opendp" (an extra).',
    "X": (
        "array, sparse matrix or data frame of shape (n, d): One row per record, numbers only. Missing values "
        "are settled by a public rule."
    ),
    "y": "array of shape (n,): One label per row.",
    "groups": (
        "array of shape (n,) or None: One id for each row that says whose it is; then a person is protected, not a row."
    ),
    "sample_weight": "array of shape (n,) or None: Weights of the rows, as in scikit-learn.",
    "n": "int: Number of rows; the public nominal size under add-remove.",
    "d": "int: Number of columns.",
    "level": "float: The chance with which each interval covers, in (0, 1).",
    "path": "str or path: Where the file is, or will be.",
    "data": "str or None: The data set's name, for the card.",
    "threshold": (
        "float or None: In the labels' units: residuals beyond it count linearly. None takes a quarter of the "
        "label range."
    ),
    "middle": (
        '"auto" or None: With "auto", `mechanism="auto"`, delta > 0 and sixteen columns or more, the mean row may be'
        " released first, within the same promise; what lies further from it than 0.4 of `row_norm` is brought to that"
        " distance, in the fit and in every prediction.  That takes less than half the noise; a coefficient is then"
        " what a unit adds for rows that are nearer.  None takes rows as they are, as searches and `eq.fit` do, which"
        ' refuse "auto".'
    ),
    "slope_cap": (
        "float or None: The steepest slope of the loss, from 0.5 to 1; beyond it the loss goes on straight, which needs"
        " less noise.  None: chosen from public facts."
    ),
    "smoothing": (
        'float or "auto": Half-width in [0, 1] by which the hinge\'s corner is rounded; above 0 every mechanism serves'
        ' it. "auto" takes 1, or 0 where a mechanism is named that serves a plain hinge.'
    ),
    "estimator": "estimator: The model to be fitted; it is cloned and left as it is.",
    "stability": (
        "StabilityBound, function of n, or None: Your claim of how far one row can move the coefficients and intercept "
        "together, in L2, in the worst case; see equipoise.stability. Required: `BoundsRequired` without."
    ),
    "false_rate": ("float: The chance, above 0 and below 1, that a feature without any weight is kept by noise alone."),
    "param_grid": "dict or list of dicts: The settings to choose among, as for scikit-learn's GridSearchCV.",
    "validation": "float or None: The share of rows that candidates are compared on. None takes a usual one.",
    "shards": (
        "int or None: How many disjoint parts, one model each. None takes as many as the accuracy asks for "
        "and the rows allow."
    ),
    "accuracy": (
        "float: How often, or by how much, noise may spoil an answer; decides about the number of shards or "
        "the reach of the walk."
    ),
    "n_jobs": "int: Processes that train the shards; -1 takes all cores.",
    "bounds": "pair of floats or None: Public range (low, high). What lies beyond is moved to its edge.",
    "explain_cost": "bool: Return the `Cost` instead of answers; nothing is asked or charged.",
    "k": "int: How many new answers.",
    "budget": "Budget, pair or None: What may be spent in all. None takes what the ledger has left.",
    "train": "pair (X, y) or None: Private rows to train on, to measure instead of to predict.",
    "held_out": "pair (X, y) or None: Private rows to measure on.",
    "charge": "Budget, pair or None: What the measurement may cost; a fifth of the budget unless given.",
    "model": "estimator or None: The private model that would be released instead.",
    "towards": "float or array: A public guess of the slopes.",
    "score": "str or score object: How candidates are compared.",
    "share": "float or None: The part of epsilon for choosing. None takes that of least predicted risk.",
    "x": "array: Points, one for each row.",
    "ax": "matplotlib axes or None: Where to draw; None makes new axes.",
    "event": "event: What a release costs, from `equipoise.theory.events`.",
    "label": "str: A short line for the book; never data.",
    "neighbours": "Neighbours: Which neighbours the event was planned for.",
    "event_for": "function: From a count to the event of so many releases.",
    "at_most": "int: The largest count to look at.",
    "also": "event or None: As if it were reserved too.",
    "deep": "bool: As in scikit-learn.",
    "params": "any: As in scikit-learn.",
}

OWN = {
    "Ledger.spent.delta": "float or None: At which δ; None takes the limit's.",
    "SQLLedger.spent.delta": "float or None: At which δ; None takes the limit's.",
    **lifted.OWN,
    "LinearSVC.loss": 'str: "hinge", or "squared_hinge", which is smooth.',
    "PeelingSelector.k": "int: How many columns are chosen, above 0 and below their number.",
    "FeatureSelector.estimator": (
        'estimator: A private linear model that states its error: two classes or numbers, mechanism="output". It pays.'
    ),
    "FeatureSelector.threshold": (
        'float or "dynamic": Coefficients beyond it are kept, in the features\' own units. "dynamic" takes that of '
        "`false_rate`, from the noise that was added."
    ),
    "OutputPerturbed.label_bounds": (
        "pair of floats or None: Public range (low, high) of a regressor's labels, which are clipped to it and not "
        "scaled. Required for a regressor."
    ),
    "OutputPerturbed.row_norm": (
        "float: Public bound on the L2 norm of a row. Longer rows are scaled down to it, in the fit and in every "
        "prediction."
    ),
    "OracleSearch.allow_nonprivate": "bool: Must be True: this search is not private, for studies only.",
    "OracleSearch.fit.X_val": "table or None: Rows to choose on; None takes those of the fit.",
    "OracleSearch.fit.y_val": "array or None: Their labels.",
    "StabilitySearch.draws": (
        "int or None: Draws of noise that each setting is tried with. None takes a usual number."
    ),
    "StabilitySearch.prior": (
        'str: "predicted" gives settings that public facts predict to do better a head start, "flat" none.'
    ),
    "StabilitySearch.score": (
        'str, Score or None: "ramp", "hinge" or "logistic" for classifiers, "ramp", "absolute", "squared" or '
        '"huber" for regression, or a `tuning.Score`.'
    ),
    "RandomStopSearch.epsilon": "float or None: Of the whole search; None takes the estimator's own.",
    "RandomStopSearch.delta": "float or None: Of the whole search; None takes the estimator's own.",
    "RandomStopSearch.stop": (
        'str or law: "geometric", "logarithmic", "poisson", or a `TruncatedNegativeBinomial` or `PoissonStop`.'
    ),
    "RandomStopSearch.mean": "float or None: Mean number of runs.",
    "RandomStopSearch.score": (
        'str or function: "auto", "accuracy", or a function of labels and predictions that gives each row a '
        "number in [0, 1]."
    ),
    "RandomStopSearch.guarantee": (
        "Pure, Renyi, Concentrated, Gaussian or None: What one fit of another library's estimator costs; None for ours."
    ),
    "RandomStopSearch.fit.public_validation": "pair (X, y) or None: Public rows to compare runs on.",
    "StablePredictor.loss": 'str: What is minimised: "logistic", "hinge", "squared", "huber" or "absolute".',
    "StablePredictor.alpha": (
        'float, "auto" or "corollary": Weight of ½‖w‖² beside the mean loss; "corollary" is Dwork and '
        "Feldman's formula, corrected."
    ),
    "SGDPredictor.loss": 'str: What is minimised: "logistic", "smoothed_hinge", "squared" or "huber".',
    "SGDPredictor.step_size": 'float or "auto": Length of the gradient steps, at most 2/(curvature·B²).',
    "ThresholdPredictor.intervals": (
        "int: How many intervals the second class may take; enters the stated error alone."
    ),
    "VotingPredictor.method": 'str: "soft", "gaussian" or "consensus".',
    "VotingPredictor.queries_per_round": "int: Answers that a round of a consensus may give.",
    "AveragingPredictor.noise": 'str: "auto", "laplace", "gaussian", or "coin" for a classifier.',
    "HistogramDensity.bins": (
        'int, list, "auto" or "coarsen": Cells along each dimension; "auto" chooses privately, "coarsen" '
        "merges afterwards."
    ),
    "HistogramDensity.candidates": "list of int or None: Numbers of cells a side to choose among.",
    "HistogramDensity.validation": (
        "float or None: Part of the rows to compare grids on; None compares by leave-one-out."
    ),
    "HistogramDensity.share": "float: Part of epsilon for choosing the grid.",
    "HistogramDensity.bounds": (
        "pair, list of pairs or None: Public range of each column; required. Values beyond are moved to the edge."
    ),
    "HistogramDensity.fit.y": "ignored: There are no labels.",
    "HistogramDensity.score.y": "ignored: There are no labels.",
    "HistogramDensity.sample.size": "int: How many points.",
    "HistogramDensity.sample.random_state": "int or None: A seed; sampling a released density costs nothing.",
    "reliability_curve.model": "classifier: A released binary classifier with predict_proba.",
    "reliability_curve.epsilon": (
        "float or None: None takes the rows as public and charges nothing; a number protects them."
    ),
    "reliability_curve.bins": "int: Equal bins of the forecast.",
    "brier_score.model": "classifier: A released binary classifier with predict_proba.",
    "brier_score.epsilon": (
        "float or None: None takes the rows as public and charges nothing; a number protects them."
    ),
    **corners.OWN,
    "transfer.predictor": "predictor: Fitted.",
    "transfer.X_public": "table: Rows that need no protection.",
    "transfer.most": "int or None: The most rows to ask about.",
}
"""Where a name means something else than elsewhere: by the class, function or method that it belongs to."""

ATTRIBUTES = {
    "coef_": (
        "array: Released coefficients in the columns' own units: (1, d) or (K, d) for classifiers, (d,) for regressors."
    ),
    "intercept_": "array or float: Released intercepts.",
    "classes_": "array: The classes, in the order of `predict_proba`.",
    **lifted.ATTRIBUTES,
    "guarantee_": "Guarantee: What was promised, with every constant that it rests on.",
    "model_": "LinearModel: The released model, which `save` writes.",
    "n_features_in_": "int: Number of columns.",
    "feature_names_in_": "array: Names of the columns, where the table had them.",
    "best_params_": "dict: The chosen setting.",
    "best_index_": "int: Its place among the candidates.",
    "chosen_": "array of int: The columns that were chosen, in their order: the released value.",
    "threshold_": "array: The threshold of each feature, in its own units.",
    "estimator_": "estimator: The private model whose coefficients were compared.",
    "best_estimator_": "estimator: The chosen model, fitted, under the promise of the whole search.",
    "cv_results_": "dict: The settings, and which was chosen; nothing else is released.",
    "ledger_": "Ledger or SQLLedger: The account that pays for answers.",
    "last_cost_": "Cost: Of the last batch answered.",
    **corners.ATTRIBUTES,
    "density_": "Density: The released density.",
    "bin_edges_": "array or tuple of arrays: Edges of the cells along each dimension.",
    "rounds_bought_": "int: Rounds of a consensus paid for so far.",
    "contested_": "int: Answers of a consensus that were contested so far.",
}

FITTED = {
    **corners.FITTED,
    **lifted.FITTED,
    "classifier": ("coef_", "intercept_", "classes_", "guarantee_", "model_", "n_features_in_", "feature_names_in_"),
    "peeling": ("chosen_", "guarantee_", "n_features_in_", "feature_names_in_"),
    "selector": ("coef_", "threshold_", "estimator_", "guarantee_", "n_features_in_", "feature_names_in_"),
    "stated": ("coef_", "intercept_", "classes_", "guarantee_", "model_", "n_features_in_", "feature_names_in_"),
    "regressor": ("coef_", "intercept_", "guarantee_", "model_", "n_features_in_", "feature_names_in_"),
    "search": (
        "best_params_",
        "best_index_",
        "best_estimator_",
        "cv_results_",
        "classes_",
        "guarantee_",
        "n_features_in_",
        "feature_names_in_",
    ),
    "predictor": ("guarantee_", "ledger_", "last_cost_", "classes_", "n_features_in_", "feature_names_in_"),
    "voting": (
        "guarantee_",
        "ledger_",
        "last_cost_",
        "rounds_bought_",
        "contested_",
        "classes_",
        "n_features_in_",
        "feature_names_in_",
    ),
    "density": ("density_", "bin_edges_", "guarantee_", "n_features_in_"),
}
"""Which attributes a fitted one of each kind has."""
