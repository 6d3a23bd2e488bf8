"""Imported first by the fork server: its imports live to its end, so garbage is collected rarely."""

from .executors import collect_seldom

collect_seldom()
