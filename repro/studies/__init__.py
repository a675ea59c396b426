"""How cells are computed, by the name that configs use."""

from repro.studies.base import Study
from repro.studies.images import ImageLabels, ImageTest
from repro.studies.rank import Rank
from repro.studies.text_labels import TextLabels

STUDIES: dict[str, Study] = {
    "image_labels": ImageLabels(),
    "image_test": ImageTest(),
    "rank": Rank(),
    "text_labels": TextLabels(),
}
