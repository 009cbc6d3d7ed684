"""Texts of tables, additive models and of the records that the library gives back ("type: what it is")."""

from __future__ import annotations

READING = {
    "data": "path, data frame or dictionary of columns: CSV (also zipped) or Parquet, pandas, polars or pyarrow.",
    "delimiter": "str or None: Between the cells of a CSV file; None is a tab for .tsv, else a comma.",
    "encoding": "str: Of a CSV file.",
    "decimal": 'str or None: "," where a CSV file writes numbers as 1,5; None is a point.',
    "y": "ignored: As scikit-learn passes it.",
    "input_features": "ignored: As scikit-learn passes it.",
    "ax": "matplotlib axes or None: Where to draw; None makes new axes.",
    "path": "str or path: Where the file is, or will be.",
    "level": "float: The chance with which each interval covers, in (0, 1).",
}
"""What a name means where tables are read and records are shown."""

ADDITIVE = {
    "shapes_": "list of Shape: One for each column, then one for each pair: knots, values, and noise at most.",
    "importances_": "dict: The spread of each shape over its public grid, largest first.",
}
"""Attributes of additive models, besides those of linear ones."""

TABLES = {
    "Encoder.fit.X": "ignored: Nothing is learnt from it.",
    "Encoder.transform.X": "path, data frame or dictionary of columns: The table.",
    "PrivateTransformer.fit.X": "path, data frame or dictionary of columns: The table to look at.",
    "PrivateTransformer.transform.X": "path, data frame or dictionary of columns: The table.",
    "PrivateBounds.plan.n": "int: Number of rows.",
    "Schema.check.table": "path, data frame or dictionary of columns: What to compare with.",
    "Schema.check.values": 'str or None: "not private" also counts cells settled by rule; None looks at none.',
    "Schema.from_dict.fields": "dict: As in docs/reference/schema.md.",
    "Schema.template.types": 'dict: From each column to "number", "text", "boolean", "date" or "unknown".',
    "Schema.template.target": "str or None: The column to be learnt.",
    "Schema.template.person": "str or None: The column that says whose row it is.",
    "check_values.estimator": "estimator: Whose rules settle values; it need not be fitted.",
    "check_values.X": "array, sparse matrix or data frame: The rows.",
    "check_values.y": "array: Their labels.",
    "AdditiveClassifier.column_bounds": (
        "pair, list of pairs or dict: Public range (low, high) of the columns of numbers: one for all, one each, or by "
        "column. Required: `BoundsRequired` without."
    ),
    "AdditiveClassifier.alpha": 'float or "auto": Weight of the roughness of the shapes beside the mean loss.',
    "AdditiveClassifier.categories": (
        "dict or None: From a column to its values. What is not listed, or missing, has a slot of its own."
    ),
    "AdditiveClassifier.knots": (
        "int, dict or None: How many, or where, for all columns or by column; None is 16, evenly between the bounds."
    ),
    "AdditiveClassifier.pairs": "list of pairs or None: Columns that get a surface together, on 6 × 6 knots.",
    "AdditiveClassifier.monotone": "dict or None: From a column to 1 (rises) or -1 (falls). Costs nothing.",
    "AdditiveClassifier.smoothness": (
        'float or "auto": From 0 to below 1: the part of a shape that is expected to bend once at most. "auto" makes '
        "shapes straight, or bent a little, where so few records at this epsilon cannot show more."
    ),
    "AdditiveRegressor.threshold": (
        "float or None: In the labels' units: residuals beyond it count linearly. None leaves it to the plan; with a "
        "mechanism by name it is an eighth of the label range."
    ),
    "tune.procedure": "Procedure: How one setting is trained.",
    "tune.settings": "list: The settings to choose among.",
    "tune.score": "LipschitzScore or StatedScore: How models are compared on held-out records; more is better.",
    "tune.training": "data: The part to try settings on.",
    "tune.validation": "data: The part to compare them on.",
    "tune.everything": "data: What the chosen setting is fitted on in the end.",
    "tune.rows": "Rows: The public sizes of the two parts.",
    "tune.epsilon": "float: The price of the choice.",
    "tune.fit_event": "event: What one fit costs when it is let out as it is: the procedure's own promise.",
    "Procedure.stability.setting": "any: One of the settings.",
    "Procedure.draw.bits": "source of bits: Given by the library.",
    "Procedure.fit_all.records": "data: Kept inside.",
    "Procedure.fit_all.settings": "list: Each of them is trained.",
    "Procedure.fit_all.randomness": "draw: From `draw`, the same for all.",
    "Score.losses.scores": "array: One score for each row, or one logit for each class.",
    "Score.losses.labels": "array: Encoded labels.",
    "Score.losses.classes": "int: How many classes; 2 for regression.",
    "Score.slope.classes": "int: How many classes; 2 for regression.",
    "Transferred.predict.X": "table: Rows; predicting is free.",
}
TABLES |= {
    name.replace("Classifier", "Regressor"): text for name, text in TABLES.items() if name.startswith("AdditiveC")
}
TABLES |= {
    f"{kind}.{method}": text
    for kind in ("LipschitzScore", "StatedScore")
    for method, text in {
        "beta.stability": "float or None: How far one record moves the model.",
        "beta.rows": "Rows: The public sizes of the two parts.",
        "value.model": "model: Of one setting.",
        "value.held": "data: Held-out records.",
    }.items()
}
TABLES |= {f"{kind}.pmf.runs": "int: How many." for kind in ("PoissonStop", "TruncatedNegativeBinomial")}
"""By the class, function or method that a name belongs to."""

RECORDS = {
    "Budget": {"epsilon": "float: ε > 0.", "delta": "float: δ in [0, 1)."},
    "Pure": {"epsilon": "float: ε."},
    "Concentrated": {"rho": "float: ρ."},
    "Gaussian": {"mu": "float: μ."},
    "Renyi": {"orders": "tuple of float: Orders above 1.", "epsilons": "tuple of float: The bound at each of them."},
    "Guarantee": {
        "epsilon": "float: The ε promised.",
        "delta": "float: The δ promised.",
        "delta_numeric": "float: What computer arithmetic adds to it, at most.",
        "adjacency": "Adjacency: Which tables count as neighbours.",
        "mechanism": "str: How it was released.",
        "theorem": "str: What the promise rests on, with the law of the noise.",
        "sensitivity": "float: How far one record can move what was released, before noise.",
        "noise_scale": "float: The scale of the noise.",
        "seeded": "bool: Whether the noise came from a seed; then nothing is private.",
        "unit": "str: Whom it protects: a row, or a person.",
        "constants": "dict: Every other number that the promise rests on.",
        "notes": "tuple of str: What was chosen and why.",
    },
    "LinearModel": {
        "kind": 'str: "classifier" or "regressor".',
        "estimator": "str: The estimator's name.",
        "coef": "array of shape (k, d): Released coefficients in the columns' own units.",
        "intercept": "array of shape (k,): Released intercepts.",
        "classes": "tuple or None: The labels, in the order of `predict_proba`.",
        "link": "str: From scores to predictions.",
        "loss": "Loss or None: What was minimised; None where a file of an older version does not tell.",
        "guarantee": "Guarantee: What was promised.",
        "feature_names": "tuple of str or None: Of the columns.",
        "why": "tuple of str: What was chosen from public facts, and why.",
        "uncertainty": "Uncertainty or None: Of the released numbers, where the mechanism can say.",
        "row_bounds": "RowBounds or None: What rows are brought within before they are scored.",
        "lift": "Fourier, Tasks or None: What rows are made into before they are scored; `coef` is about that.",
        "shapes": "Shapes or None: Of an additive model: how coefficients belong to columns.",
        "origin": "Origin or None: When, by which version, from what data and account.",
    },
    "TableModel": {
        "encoding": "Encoding: How rows become vectors, by the schema.",
        "model": "LinearModel: The released numbers.",
    },
    "ValueCounts": {
        "rows": "int: Rows in the table.",
        "missing_cells": "int: Cells that hold no number.",
        "infinite_cells": "int: Cells beyond the largest number taken.",
        "cells_outside_column_bounds": "int: Cells that would be clipped.",
        "rows_clipped": "int: Rows longer than `row_norm`.",
        "labels_settled": "int: Labels that are none of the classes, missing, or outside `label_bounds`.",
    },
    "Cost": {
        "new": "int: Questions that have not been asked before.",
        "repeated": "int: Those that have; they are free.",
        "event": "event or None: What the ledger is debited for.",
        "epsilon": "float: Of the new answers together, at the ledger's δ.",
        "delta": "float: Of the new answers together.",
        "delta_numeric": "float: What computer arithmetic adds to it.",
        "total_epsilon": "float: What the ledger shows once they are paid.",
        "affordable": "bool: Whether its limit allows them.",
    },
    "Advice": {
        "predictor": "str: Who would answer.",
        "queries": "int: How many new questions.",
        "budget": "Budget: For all of them, or for one model.",
        "answer_epsilon": "float: What is left for one answer.",
        "answer_delta": "float: What is left for one answer.",
        "answers_error": "float: Predicted error of answers.",
        "release_error": "float: Predicted error of a released model.",
        "release_mechanism": "str: How it would be released.",
        "crossover": "float: The number of questions from which releasing is predicted to be no worse.",
        "unit": "str: What errors are measured in.",
        "curve": "tuple of pairs: (questions, predicted error of answers), for the picture.",
        "notes": "tuple of str: What to know besides.",
    },
    "Measured": {
        "advice": "Advice: What public facts alone predict.",
        "answers": "Figure: Error of one of k answers, measured, with its interval.",
        "pilot": "Figure: Error of the pilot model, measured, with its interval.",
        "predicted_gain": "float: What a model for the whole budget is predicted to gain over the pilot.",
        "unit": "str: What errors are measured in.",
        "train_rows": "int: Rows trained on.",
        "held_out_rows": "int: Rows measured on.",
        "charge": "Budget: What the measurement may cost.",
        "pilot_budget": "Budget: Of the pilot.",
        "model": "estimator: The pilot, paid for and free to use.",
        "guarantee": "Guarantee: What model and figures promise together.",
        "spent": "Spent: What the ledger counts.",
    },
    "Transferred": {
        "model": "estimator: Trained on public rows with private labels; free to release.",
        "guarantee": "Guarantee: Covers every answer used.",
        "labelled": "int: Rows that were labelled.",
        "skipped": "int: Contested answers of a consensus, not used.",
        "cost": "Spent: What the labelling added to the ledger.",
        "X": "array: The public rows.",
        "y": "array: Their private labels, free as well.",
    },
    "BrierScore": {
        "value": "float: The mean squared error of the forecasts.",
        "low": "float: Where its value in the population begins.",
        "high": "float: Where it ends.",
        "level": "float: The chance with which the interval covers.",
        "guarantee": "Guarantee or None: None where the rows are public and nothing was charged.",
    },
    "Calibration": {
        "edges": "array: Of the bins.",
        "mean_predicted": "array: Mean forecast in each bin; its middle on private rows.",
        "observed": "array: How often the second class came; NaN where no count is left.",
        "low": "array: Where each begins, noise included.",
        "high": "array: Where each ends.",
        "counts": "array: Rows in each bin, noisy on private ones.",
        "brier": "BrierScore: Of the same rows.",
        "level": "float: The chance with which each interval covers, by itself.",
        "guarantee": "Guarantee or None: None where the rows are public and nothing was charged.",
    },
    "Rows": {"training": "int: Rows to try settings on.", "validation": "int: Rows to compare them on."},
    "Procedure": {
        "name": "str: For messages.",
        "drawing": "function: From a source of bits to the randomness of one training.",
        "fit": "function: From (data, setting, randomness) to a model. Draws nothing.",
        "stated": "function or None: From a setting to how far one record moves the model in L2, whatever was drawn.",
        "delta": "float: The chance, over one draw, that this does not hold.",
    },
    "Score": {
        "name": "str: For messages and cards.",
        "function": "function: From an array of what `on` says to losses.",
        "lipschitz": "float: How much it changes per unit of its argument, at most.",
        "cap": "float: Its largest value.",
        "on": 'str: "margin", "residual" or "scores".',
    },
    "LipschitzScore": {
        "name": "str: For messages.",
        "function": "function: From (model, held-out data) to a mean over records.",
        "lipschitz": "float: How much it changes per unit of L2 that the model moves, at most.",
        "cap": "float: The range of one record's part.",
    },
    "StatedScore": {
        "name": "str: For messages.",
        "function": "function: From (model, held-out data) to a number.",
        "beta1": "float: n times what a training record can do to it.",
        "beta2": "float: m times what a held-out record can do to it.",
    },
    "PoissonStop": {"mean": "float: Of the number of runs."},
    "TruncatedNegativeBinomial": {
        "eta": "float: 1 is the geometric law, 0 the logarithmic one.",
        "gamma": "float: In (0, 1); near 0 means many runs.",
    },
}
"""Fields of what the library gives back or is given, by class."""
