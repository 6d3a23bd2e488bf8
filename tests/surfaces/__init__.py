"""The files of the surfaces."""
