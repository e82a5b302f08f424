"""Hashes that commit to something without telling it.

Names and dates of birth can be guessed, and a plain hash would confirm the guess. So what may hold something of a
person is hashed under a secret nonce that is derived from the customer's data key: who has the evidence file can check
the hash, and once the key is destroyed nobody can.
"""

import hashlib
import hmac
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import rfc8785
from pydantic import JsonValue

OF_EVIDENCE = b"truename-receipt/1 evidence\n"
OF_CONFIG = b"truename-receipt/1 config\n"
OF_THE_PERSON = ("expected_gender", "expected_min_age", "expected_max_age")
LARGEST_EXACT = 2**53 - 1


def canonical(value: JsonValue) -> bytes:
    """The value as canonical JSON (RFC 8785)."""
    try:
        return rfc8785.dumps(value)
    except rfc8785.IntegerDomainError:
        return rfc8785.dumps(_without_large_numbers(value))


def _without_large_numbers(value: JsonValue) -> JsonValue:
    """Whole numbers that a double does not hold, as text: RFC 8785 knows no others."""
    if isinstance(value, dict):
        return {name: _without_large_numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_large_numbers(part) for part in value]
    return str(value) if type(value) is int and abs(value) > LARGEST_EXACT else value


def keyed_hash(nonce: bytes, label: bytes, value: JsonValue) -> str:
    """HMAC-SHA-256, in hex, over the label and the canonical JSON of the value."""
    return hmac.new(nonce, label + canonical(value), hashlib.sha256).hexdigest()


def policy_sha256(config: Mapping[str, JsonValue]) -> str:
    """SHA-256 of what the config demands of everybody: the same for all transactions under one policy."""
    document, biometric = config.get("document_policy"), config.get("biometric_policy")
    policy: dict[str, JsonValue] = {name: part for name, part in config.items() if name != "webhook"}
    if isinstance(document, dict):
        policy["document_policy"] = {name: part for name, part in document.items() if name != "data_matching"}
    if isinstance(biometric, dict):
        policy["biometric_policy"] = {name: part for name, part in biometric.items() if name not in OF_THE_PERSON}
    return hashlib.sha256(canonical(policy)).hexdigest()


@cache
def rules_sha256() -> str:
    """SHA-256 over the source of the rules, file by file: what judged."""
    digest = hashlib.sha256()
    for name, text in sorted(_sources(files("truename.rules"), "")):
        digest.update(f"{name}\n{len(text)}\n".encode() + text)
    return digest.hexdigest()


def _sources(folder: Traversable, under: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _sources(entry, f"{under}{entry.name}/")
        elif entry.name.endswith(".py"):
            found.append((under + entry.name, entry.read_bytes()))
    return found
