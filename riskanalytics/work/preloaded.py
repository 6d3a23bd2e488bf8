"""Imported by the fork server before all else: what it imports lives to its end, so it looks for garbage seldom."""

from .executors import collect_seldom

collect_seldom()
