"""The faults: what disturbs a run, which runs, and how often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reliability.faults.by_inputs import bad_function, cut_input, input_changes
from reliability.faults.by_limits import (
    full_disk,
    full_temporary_folder,
    little_memory,
    no_growth,
    read_only,
)
from reliability.faults.by_signals import interrupt, kill, stop_serving
from reliability.faults.checks import Bench
from reliability.faults.jobs import EDITS, FUNCTIONS, Job


@dataclass(frozen=True)
class Fault:
    """A kind of fault.

    Attributes
    ----------
    inject : callable
        Disturbs one run and checks what is left; may say what was special about it.
    share : float
        How many there are for every kill.
    fits : callable
        Whether a job can be disturbed by it.
    disks : bool
        Whether it needs small disks.
    """

    inject: Callable[[Bench, np.random.Generator], str | None]
    share: float = 0.1
    fits: Callable[[Job], bool] = lambda job: True  # noqa: ARG005
    disks: bool = False


FAULTS = {
    "kill -9": Fault(kill, 1.0),
    "Ctrl-C": Fault(interrupt, 0.4),
    "Ctrl-C on corral serve": Fault(stop_serving, fits=lambda job: job is EDITS),
    "full disk": Fault(full_disk, 0.2, disks=True),
    "limit on the size of files": Fault(no_growth),
    "full temporary folder": Fault(
        full_temporary_folder, fits=lambda job: job.spools, disks=True
    ),
    "read-only folder": Fault(read_only),
    "little memory": Fault(little_memory, 0.12),
    "input cut short": Fault(cut_input, fits=lambda job: job.tables),
    "input changed while read": Fault(input_changes, fits=lambda job: job.tables),
    "bad function": Fault(bad_function, fits=lambda job: job is FUNCTIONS),
}
"""By name."""
