"""The tool server (specification section 4.3): four tools over HTTP and over stdio.

Only the commands that serve the tools import `serving`: the protocol's library takes as long to import as the rest of
the service.
"""

from riskanalytics.service.tool_server.route import router

__all__ = ["router"]
