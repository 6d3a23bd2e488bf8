"""Imported first by the fork server, to make it collect garbage rarely: its modules live until it ends."""

from .executors import collect_seldom

collect_seldom()
