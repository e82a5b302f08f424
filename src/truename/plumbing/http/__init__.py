"""How requests are read and answered: bodies, problems, idempotency, limits, pages."""
