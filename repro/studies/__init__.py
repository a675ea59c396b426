"""How cells are computed, by the name that configs use."""

from repro.studies.base import Study
from repro.studies.text_labels import TextLabels

STUDIES: dict[str, Study] = {
    "text_labels": TextLabels(),
}
