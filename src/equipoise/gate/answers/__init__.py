"""Mechanisms that release answers to questions, never the model behind them."""
