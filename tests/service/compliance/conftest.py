"""The literal database, and the reports of its platforms."""

from tests.service.fixtures import caller, given_database  # noqa: F401
