"""Let layout files of somebody's own take the place of their countries': one to be tried, or all of the operator's."""

from collections.abc import Iterator
from contextlib import contextmanager

from truename.rules.documents import support_also
from truename.vision.document.layouts.load import TRIED, operators_own
from truename.vision.document.layouts.model import Country
from truename.vision.document.layouts.phrases import forget
from truename.vision.document.layouts.supported import supported_by


@contextmanager
def trying(country: Country) -> Iterator[None]:
    """For a process that does nothing else: everything that reads documents in it meanwhile goes by the file."""
    TRIED[country.country] = country
    use_own_layouts()
    try:
        yield
    finally:
        del TRIED[country.country]
        use_own_layouts()


def use_own_layouts() -> None:
    """After the process was configured: read the operator's own files, and let the service accept what only they know.

    Raises WrongLayout.
    """
    support_also(supported_by({**operators_own(), **TRIED}.values()))
    forget()
