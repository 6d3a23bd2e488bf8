"""Method: how documents are read, how well that was measured, and what the figures do not tell."""
