"""The prediction service will live here: it answers from released models and budgeted predictors only."""
