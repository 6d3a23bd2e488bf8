"""Questions and answers."""
