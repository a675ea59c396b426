"""The workbench: write rules on raw rows and watch the labels move.

`Workbench` is all of it; ``server/`` shows it as a local page.
"""

from corral.errors import StaleVersionError
from corral.workbench.project import Rule
from corral.workbench.search import PreviewCancelled
from corral.workbench.session import Workbench

__all__ = ["PreviewCancelled", "Rule", "StaleVersionError", "Workbench"]
