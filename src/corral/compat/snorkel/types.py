"""Types that typed labeling functions import."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from corral.compat import stands_for

DataPoint = Any
DataPoints = Sequence[DataPoint]
Field = Any
FieldMap = Mapping[str, Field]
HashingFunction = Callable[[Any], Hashable]

stands_for(__name__, "data", "hashing")
