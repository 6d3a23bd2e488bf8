"""A month over all platforms of a reader: its headline, and which platforms a portfolio names."""
