"""PostgreSQL: embedded or existing, its pool of connections, its migrations."""
