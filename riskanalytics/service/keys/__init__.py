"""The keys: who holds one, and how a subscription and the mail that carries its key start and end."""
