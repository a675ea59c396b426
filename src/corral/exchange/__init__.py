"""Files of annotation tools and judges: answers in, labels out."""

from corral.exchange.annotations import (
    TOOLS,
    check_target,
    read_annotations,
    recognise,
    write_annotations,
)
from corral.exchange.answers import Annotations
from corral.exchange.judges import (
    LAYOUT,
    JudgeAnswers,
    JudgeCounts,
    name_column,
    read_judges,
)
from corral.exchange.records import write_records

__all__ = [
    "LAYOUT",
    "TOOLS",
    "Annotations",
    "JudgeAnswers",
    "JudgeCounts",
    "check_target",
    "name_column",
    "read_annotations",
    "read_judges",
    "recognise",
    "write_annotations",
    "write_records",
]
