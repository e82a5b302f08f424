"""What the capture page is told of the account's own: its words, and where it goes at the end."""

from truename.plumbing.http.bodies import Shown


class OwnTexts(Shown):
    """What the account says itself in one language, as plain text."""

    welcome: str | None
    """At the consent; null: nothing."""
    done: str | None
    """At the end; null: nothing."""


class ReturnAddress(Shown):
    """Which pages may embed the capture, and where it leads at the end."""

    origins: list[str]
    """Origins of pages that may embed the capture and receive its messages."""
    url: str | None
    """Where to go at the end."""
