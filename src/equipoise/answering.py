"""Private prediction: answer questions from sensitive records without releasing a model."""

from equipoise.estimators.answer.advice import Advice
from equipoise.estimators.answer.averaging_predictor import AveragingPredictor
from equipoise.estimators.answer.cost import Cost
from equipoise.estimators.answer.measured import Measured, WideInterval
from equipoise.estimators.answer.protocol import PrivatePredictor
from equipoise.estimators.answer.sgd_predictor import SGDPredictor
from equipoise.estimators.answer.stable_predictor import StablePredictor
from equipoise.estimators.answer.threshold_predictor import ThresholdPredictor
from equipoise.estimators.answer.transfer import Transferred, transfer
from equipoise.estimators.answer.voting_predictor import VotingPredictor

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
