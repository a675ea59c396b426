"""How cells are computed, by the name that configs use."""

from repro.studies.base import Study
from repro.studies.data_sets import DataSets
from repro.studies.error_rates import ErrorRates
from repro.studies.images import ImageLabels, ImageTest, StochGall
from repro.studies.marks import MarkedRegions
from repro.studies.rank import Rank
from repro.studies.synthetic import SyntheticPairs, SyntheticTest
from repro.studies.text_labels import TextLabels
from repro.studies.text_test import TextTest
from repro.studies.trec_network import TrecNetwork

STUDIES: dict[str, Study] = {
    "data_sets": DataSets(),
    "error_rates": ErrorRates(),
    "image_labels": ImageLabels(),
    "image_test": ImageTest(),
    "marks": MarkedRegions(),
    "rank": Rank(),
    "stoch_gall": StochGall(),
    "synthetic": SyntheticTest(),
    "synthetic_pairs": SyntheticPairs(),
    "text_labels": TextLabels(),
    "text_test": TextTest(),
    "trec_network": TrecNetwork(),
}
