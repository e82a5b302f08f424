"""The one place of the client's version: the wheel and the `user-agent` take it from here."""

__version__ = "0.2.0"
