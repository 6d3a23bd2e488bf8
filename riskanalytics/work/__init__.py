"""Work that takes long: where it is done, and how far it has come."""
