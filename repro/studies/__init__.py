"""How cells are computed, by the name that configs use."""

from repro.studies.base import Study
from repro.studies.images import ImageLabels, ImageTest
from repro.studies.text_features import TextFeatures
from repro.studies.text_labels import TextLabels
from repro.studies.text_test import TextTest

STUDIES: dict[str, Study] = {
    "image_labels": ImageLabels(),
    "image_test": ImageTest(),
    "text_features": TextFeatures(),
    "text_labels": TextLabels(),
    "text_test": TextTest(),
}
