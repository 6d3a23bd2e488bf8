"""A module that the fork server imports first: it makes Python's garbage collector run rarely, as imported modules stay."""

from .executors import collect_seldom

collect_seldom()
