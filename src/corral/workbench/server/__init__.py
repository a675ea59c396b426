"""The page of a workbench, on a port of this machine (extra ``serve``)."""

from corral.workbench.server.app import WorkbenchServer
from corral.workbench.server.guard import Access

__all__ = ["Access", "WorkbenchServer"]
