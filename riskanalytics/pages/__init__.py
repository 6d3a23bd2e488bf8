"""Pages as values: what a page is made of, and its two renderers, HTML and print."""
