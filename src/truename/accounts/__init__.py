"""Tenants: accounts, their clients, their secrets and the tokens that prove them."""
