"""An agent of the literal database."""

from tests.service.tool_server.fixtures import agent  # noqa: F401
