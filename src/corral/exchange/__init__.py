"""Files of annotation tools and of judges: answers in, suggestions out."""

from corral.exchange.annotations import (
    TOOLS,
    read_annotations,
    recognise,
    write_annotations,
)
from corral.exchange.answers import Annotations
from corral.exchange.evaluations import EVALUATIONS
from corral.exchange.judges import JudgeAnswers, JudgeCounts, read_judges

__all__ = [
    "EVALUATIONS",
    "TOOLS",
    "Annotations",
    "JudgeAnswers",
    "JudgeCounts",
    "read_annotations",
    "read_judges",
    "recognise",
    "write_annotations",
]
