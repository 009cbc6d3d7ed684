"""Released values only: everything in this folder is post-processing and costs no privacy."""

from equipoise.outside.card import Card
from equipoise.outside.files import load, save
from equipoise.outside.model import LinearModel
from equipoise.outside.released import Released

__all__ = ["Card", "LinearModel", "Released", "load", "save"]
