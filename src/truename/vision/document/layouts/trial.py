"""Let a layout file of somebody's own take the place of its country's, to see what it makes of pictures."""

from collections.abc import Iterator
from contextlib import contextmanager

from truename.vision.document.layouts.load import TRIED
from truename.vision.document.layouts.model import Country
from truename.vision.document.layouts.phrases import forget


@contextmanager
def trying(country: Country) -> Iterator[None]:
    """For a process that does nothing else: everything that reads documents in it meanwhile goes by the file."""
    TRIED[country.country] = country
    forget()
    try:
        yield
    finally:
        del TRIED[country.country]
        forget()
