"""Customers: the persistent record of one person in an account."""
