"""The literal database, built once a session, a caller on it, and an agent that uses its tools."""

from tests.service.fixtures import caller, given_database  # noqa: F401
from tests.service.tool_server.fixtures import agent  # noqa: F401
