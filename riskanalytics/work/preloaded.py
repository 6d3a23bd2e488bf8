"""Imported first by the fork server: it makes Python's garbage collector run rarely, because imported modules live to the end."""

from .executors import collect_seldom

collect_seldom()
