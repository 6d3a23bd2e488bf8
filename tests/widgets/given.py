"""Data and clicks for the tests of widgets, and what a widget shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from riskanalytics.dataset import Dataset
from tests.frames_given import Market

TRAINING = "We do not use your prompts to train our models."


def given(market: Market, **frames: pd.DataFrame) -> Dataset:
    """Return a market as a data set that has no service behind it."""
    result = {
        "platforms": market.platforms, "findings": market.findings, "surfaces": market.cells,
        "training_use": market.answers, "documents": market.documents,
    }  # fmt: skip
    return Dataset(None).replaced(**result | frames)


def labels(control: Any) -> list[str]:
    return [label for label, _ in control.options]


def click(panel: Any, row: int, column: int) -> None:
    """Tell the figure of a click as its front end does."""
    figure = panel.heatmap
    heat = figure.data[0]
    figure._js2py_pointsCallback = {
        "event_type": "plotly_click",
        "points": {
            "trace_indexes": [0], "point_indexes": [[row, column]], "xs": [heat.x[column]], "ys": [heat.y[row]],
        },
    }  # fmt: skip


def parts(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from parts(child)


def result(root: Any) -> str:
    """Everything in a widget that a front end takes for HTML."""
    return "".join(
        part.value if type(part).__name__ == "HTML" else part.to_json() if hasattr(part, "to_json") else ""
        for part in parts(root)
    )


def every_option(root: Any) -> list[str]:
    return [label for part in parts(root) for label in getattr(part, "_options_labels", ())]


class Shell:
    """A shell whose kernel runs a cell that was sent by a front end which can, or cannot, answer questions."""

    def __init__(self, attended: bool) -> None:
        self.kernel = self.display_pub = self
        self._allow_stdin = attended

    def publish(self, *_: object, **__: object) -> None:
        """Show the progress of loading to nobody."""
