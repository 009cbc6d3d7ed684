"""Private prediction: answer questions from sensitive records without releasing a model."""

from equipoise.estimators._answering import Cost, PrivatePredictor
from equipoise.estimators.advice import Advice
from equipoise.estimators.averaging_predictor import AveragingPredictor
from equipoise.estimators.measured import Measured, WideInterval
from equipoise.estimators.sgd_predictor import SGDPredictor
from equipoise.estimators.stable_predictor import StablePredictor
from equipoise.estimators.threshold_predictor import ThresholdPredictor
from equipoise.estimators.transfer import Transferred, transfer
from equipoise.estimators.voting_predictor import VotingPredictor

__all__ = [
    "Advice",
    "AveragingPredictor",
    "Cost",
    "Measured",
    "PrivatePredictor",
    "SGDPredictor",
    "StablePredictor",
    "ThresholdPredictor",
    "Transferred",
    "VotingPredictor",
    "WideInterval",
    "transfer",
]
