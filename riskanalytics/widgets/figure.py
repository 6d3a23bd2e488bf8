"""plotly's figure as a widget that a busy machine shows too."""

from __future__ import annotations

from pathlib import Path

import plotly.graph_objects as go
from traitlets import List, Unicode


class FigureWidget(go.FigureWidget):
    """plotly's own widget, whose script is read after its model is ready."""

    _script = Unicode(str(go.FigureWidget._esm)).tag(sync=True)
    _told_by = List([name for name in go.FigureWidget.class_trait_names() if name.startswith("_py2js_")]).tag(sync=True)
    _esm = Path(__file__).with_name("figure.js")
