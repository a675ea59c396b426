"""The page of a workbench, on a port of this machine (extra ``serve``)."""

from corral.workbench.server.guard import Access
from corral.workbench.server.serving import WorkbenchServer

__all__ = ["Access", "WorkbenchServer"]
