"""Linear constraints on the labels: the public kinds, rows on the moments, theory."""

from corral.constraints.kinds import ClassBalance as ClassBalance
from corral.constraints.kinds import Confusion as Confusion
from corral.constraints.kinds import ErrorRate as ErrorRate
from corral.constraints.kinds import GroupShare as GroupShare
from corral.constraints.kinds import Known as Known
from corral.constraints.kinds import Precision as Precision
from corral.constraints.kinds import Recall as Recall
from corral.constraints.system import System as System
from corral.constraints.system import make_system as make_system
from corral.constraints.system import read_truth as read_truth
from corral.constraints.system import row_means as row_means
from corral.constraints.system import signal_errors as signal_errors
from corral.constraints.theory import distance_bound as distance_bound
