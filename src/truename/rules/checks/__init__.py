"""One file per question. The folder finds its files by itself: add one, and the judgement asks it.

A check says which results it gives (`ASKS`), for which transaction types (`APPLIES_TO`) and how it finds them
(`check`). It never knows a severity.
"""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, Protocol, cast

from truename.rules.answers import Answer, CheckName
from truename.rules.config import TransactionType
from truename.rules.dossier import Dossier


class Check(Protocol):
    ASKS: tuple[CheckName, ...]
    APPLIES_TO: frozenset[TransactionType]

    def check(self, dossier: Dossier) -> Iterator[Answer]: ...


CHECKS: Final = tuple(
    cast(Check, import_module(f"{__name__}.{name}"))
    for name in sorted(module.name for module in iter_modules(__path__))
)
"""Every check, by the name of its file."""
