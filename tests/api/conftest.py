"""The literal database, built once a session, and a caller on it."""

from tests.service.fixtures import caller, given_database  # noqa: F401
