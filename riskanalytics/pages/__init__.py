"""Pages as values, and the two renderers of these values: HTML and PDF."""
