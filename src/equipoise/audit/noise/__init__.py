"""Audits of the samplers and of the bits behind them."""
