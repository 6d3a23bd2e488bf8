"""Figures as SVG with real text, drawn without a browser: for reports on paper.

A small writer of our own instead of a second chart library: the figures' JSON stays the one description of a
chart, the same figure gives the same bytes, words stay words, and hatches and letters stay beside colours. It
draws what the charts of this package are made of (bars, histograms, heatmaps, lines, points and words with
intervals, straight shapes, notes); of any other figure it says so, and its reader falls back to the table.
"""

from riskanalytics.pages.svg.axes import NotDrawnError
from riskanalytics.pages.svg.drawing import drawn

__all__ = ["NotDrawnError", "drawn"]
