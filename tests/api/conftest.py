"""The literal database, built once a session, a caller on it, and an agent that uses its tools."""

from tests.service.fixtures import (  # noqa: F401
    caller,
    copied_place,
    given_database,
    given_place,
    given_server,
    kept_server,
    new_place,
    postgres,
)
from tests.service.tool_server.fixtures import agent  # noqa: F401
