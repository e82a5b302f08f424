"""The default policy of an account: what a config has where it leaves a field out.

The interface's own defaults stand wherever the account has said nothing. Only fields that are policy can be said here:
whom a transaction expects, where its events go and what is not enforced belong to each config alone.
"""

from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import BeforeValidator, Field

from truename.rules.config import Config, DevicePolicy, DocumentEligibility, Policy
from truename.rules.config_values import LEFT_OUT, Score, whole_number

PARTS: Final = ("device_policy", "document_policy", "biometric_policy")


class DefaultDocumentPolicy(Policy):
    """Which documents are accepted."""

    document_eligibility: Annotated[DocumentEligibility | None, *LEFT_OUT] = None
    """Which supported documents are accepted. Left out: all of them."""


class DefaultBiometricPolicy(Policy):
    """What the live face must satisfy."""

    liveness_min_score: Score = 0.85
    """Below this score it is not certain enough that a living person was before the camera."""
    face_comparison_min_score: Score = 0.85
    """Below this score two faces are not the same; it applies to every comparison."""
    require_face_comparison: bool = True
    """When false, no faces are compared, and an informational issue says so."""


class DefaultPolicy(Policy):
    """What an account has chosen instead of the interface's defaults; a field that is left out keeps those."""

    transaction_ttl_minutes: Annotated[int, Field(ge=1, le=1440), BeforeValidator(whole_number)] = 1440
    """Minutes, from creation, in which the flow must be completed."""
    device_policy: DevicePolicy = DevicePolicy()
    """What signs on the device and its connection lead to."""
    document_policy: DefaultDocumentPolicy = DefaultDocumentPolicy()
    """Which documents are accepted."""
    biometric_policy: DefaultBiometricPolicy = DefaultBiometricPolicy()
    """What the live face must satisfy."""

    def filled(self, sent: Config) -> Config:
        """The config with this policy wherever it leaves a field out; what it says stays."""
        if not self.model_fields_set:
            return sent
        update: dict[str, object] = {}
        name = "transaction_ttl_minutes"
        if name in self.model_fields_set and name not in sent.model_fields_set:
            update[name] = self.transaction_ttl_minutes
        for part in PARTS:
            mine, theirs = getattr(self, part), getattr(sent, part)
            given = theirs.model_fields_set if part in sent.model_fields_set else frozenset()
            missing = {field: getattr(mine, field) for field in mine.model_fields_set if field not in given}
            if missing:
                update[part] = theirs.model_copy(update=missing)
        return sent.model_copy(update=update) if update else sent

    def effective(self) -> Config:
        """The config of a transaction that says nothing itself."""
        return self.filled(Config())

    def said(self) -> dict[str, object]:
        """What was chosen, as JSON; a part in which nothing was chosen is left out."""
        dump = self.model_dump(mode="json", exclude_unset=True)
        return {name: value for name, value in dump.items() if value != {}}

    def pointers(self) -> Iterator[str]:
        """The JSON pointer of each field that was chosen."""
        for name, value in self.said().items():
            if name in PARTS and isinstance(value, dict):
                yield from (f"/{name}/{field}" for field in value)
            else:
                yield f"/{name}"
