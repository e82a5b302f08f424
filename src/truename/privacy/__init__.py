"""Privacy: erase, redact and retain; and the list of everywhere that something of a person is kept."""
