"""Pages as values (objects without markup), and the two renderers that turn these values into HTML and PDF."""
