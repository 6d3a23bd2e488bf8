"""The tool server (specification section 4.3): four tools over HTTP and over stdio.

`transport` and `stdio` are imported only by what serves them: the protocol's library costs as much time to import as
the rest of the service.
"""

from riskanalytics.service.tool_server.route import POST, Post, Tools, router

__all__ = ["POST", "Post", "Tools", "router"]
