"""What charts are made of: the chart itself, its canvas, and words on figures."""
