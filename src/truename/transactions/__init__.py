"""Transactions: one verification for one customer."""
