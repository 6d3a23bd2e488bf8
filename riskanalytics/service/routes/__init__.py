"""The endpoints that read: the keyed ones under `/api/v1`, and the open ones for agents and readers."""
