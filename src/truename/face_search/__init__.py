"""Face search: a live face looked for among the account's customers and on blocklists (one with many)."""
