"""Another policy, and what it makes of the config that a transaction had.

What a config expects of one person (`data_matching`, `expected_gender`) is no policy: it was built from the records of
that person, so each transaction keeps its own.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from truename.rules.config import Config, Policy
from truename.rules.dossier import Dossier


class Mode(StrEnum):
    """How the other config is meant."""

    REPLACE = "REPLACE"
    """As if every transaction had been created with it: what it leaves out has its default."""
    CHANGE = "CHANGE"
    """Only the fields that stand in it are changed; all others stay as each transaction had them."""


@dataclass(frozen=True, slots=True)
class OtherPolicy:
    """A config to judge under; its `data_matching` says nothing, because each transaction keeps its own."""

    config: Config
    mode: Mode

    def applied(self, dossier: Dossier) -> Dossier:
        """The same dossier under this policy."""
        own = dossier.config
        config = _over(own, self.config) if self.mode is Mode.CHANGE else _with_own_expectations(self.config, own)
        return dossier.model_copy(update={"config": config})


Part = TypeVar("Part", bound=Policy)


def _over(own: Part, changes: Part) -> Part:
    """The own config, with every field that was set in the other one; a list is replaced as a whole."""
    update: dict[str, object] = {}
    for name in changes.model_fields_set - {"data_matching"}:
        value, before = getattr(changes, name), getattr(own, name)
        nested = isinstance(value, Policy) and isinstance(before, Policy) and name.endswith("_policy")
        update[name] = _over(before, value) if nested else value
    return own.model_copy(update=update)


def _with_own_expectations(config: Config, own: Config) -> Config:
    matching, gender = own.document_policy.data_matching, own.biometric_policy.expected_gender
    update: dict[str, object] = {}
    if matching is not config.document_policy.data_matching:
        update["document_policy"] = config.document_policy.model_copy(update={"data_matching": matching})
    if gender is not None and "expected_gender" not in config.biometric_policy.model_fields_set:
        update["biometric_policy"] = config.biometric_policy.model_copy(update={"expected_gender": gender})
    return config.model_copy(update=update) if update else config
