"""The tool server (specification section 4.3): four tools over HTTP and over stdio.

Imported only by what serves it: the protocol's library costs as much time to import as the rest of the service.
"""

from riskanalytics.service.tool_server.stdio import speak_stdio
from riskanalytics.service.tool_server.transport import ToolServer

__all__ = ["ToolServer", "speak_stdio"]
