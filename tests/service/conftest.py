"""The literal database, built once a session, and a caller on it."""

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
