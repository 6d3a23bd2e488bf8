"""Platforms by surfaces: the whole matrix, and one surface across all platforms."""
