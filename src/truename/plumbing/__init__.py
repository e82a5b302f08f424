"""PLUMBING: what every room stands on: HTTP, database, jobs, storage, crypto, settings, clock, errors."""
