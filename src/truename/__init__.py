"""Truename: self-hosted identity verification whose every decision can be explained."""

__version__ = "0.2.0"
"""The one place of the version: the wheel, the command line, the API, receipts and pages take it from here."""
