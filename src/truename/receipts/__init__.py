"""Receipts: a signed statement of every decision, which anybody can check with the published keys, offline."""
