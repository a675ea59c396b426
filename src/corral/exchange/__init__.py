"""Files of annotation tools: answers in, labels out."""

from corral.exchange.annotations import Annotations
from corral.exchange.reading import read_annotations
from corral.exchange.tools import TOOLS, recognise
from corral.exchange.writing import write_annotations

__all__ = [
    "TOOLS",
    "Annotations",
    "read_annotations",
    "recognise",
    "write_annotations",
]
