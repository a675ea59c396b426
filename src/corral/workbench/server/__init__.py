"""The page of a workbench, on a port of this machine (extra ``serve``)."""

from corral.workbench.server.access import Access
from corral.workbench.server.serving import WorkbenchServer

__all__ = ["Access", "WorkbenchServer"]
