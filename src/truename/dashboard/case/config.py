"""The config of a transaction: in effect, by default, and as it was given."""

import json
from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from truename.dashboard.case.model import ConfigLine
from truename.rules.config import Config
from truename.transactions.config_given import ConfigOrigin, origins

MATCHING = "/document_policy/data_matching/"
MOST_LISTED = 100
"""Of the parts of a list so many have lines of their own; a config may list thousands of documents, and all of it is
there as it was given."""


def config_lines(config: Mapping[str, JsonValue], sent: Mapping[str, JsonValue] | None) -> list[ConfigLine]:
    """Every field of an effective config beside its default and who said it, those that differ first."""
    said = origins(config, sent) if sent is not None else None
    defaults = dict(_leaves(Config().model_dump(mode="json")))
    shown = dict(_leaves(config))
    if isinstance(url := shown.get("/webhook/url"), str):
        shown["/webhook/url"] = without_query(url)
    lines = [
        ConfigLine(
            pointer,
            _text(value),
            _text(defaults.get(pointer)),
            defaults.get(pointer) == value,
            "" if said is None else _origin(pointer, said).words,
        )
        for pointer, value in {**dict.fromkeys(defaults), **shown}.items()
        if pointer in shown or defaults.get(pointer) is not None
    ]
    return sorted(lines, key=lambda line: line.is_default)


def given(sent: Mapping[str, JsonValue] | None) -> str | None:
    """The config as it was given, as JSON; what stands behind the `?` of the webhook's address is left out."""
    if sent is None:
        return None
    shown: dict[str, JsonValue] = dict(sent)
    webhook = shown.get("webhook")
    if isinstance(webhook, dict) and isinstance(url := webhook.get("url"), str):
        shown["webhook"] = {**webhook, "url": without_query(url)}
    return json.dumps(shown, indent=2, ensure_ascii=False)


def without_query(url: str) -> str:
    """The address as far as it may be shown: what stands behind the `?` may be a secret of the integrator's."""
    return url.partition("?")[0] + ("?…" if "?" in url else "")


def _origin(pointer: str, said: Mapping[str, ConfigOrigin]) -> ConfigOrigin:
    """Who said this field, or the list that it is part of."""
    if pointer.startswith(MATCHING):
        return ConfigOrigin.SENT
    while pointer and pointer not in said:
        pointer = pointer.rpartition("/")[0]
    return said.get(pointer, ConfigOrigin.INTERFACE)


def _leaves(value: object, pointer: str = "") -> Iterable[tuple[str, object]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _leaves(part, f"{pointer}/{name}")
    elif isinstance(value, list):
        for place, part in enumerate(value[:MOST_LISTED]):
            yield from _leaves(part, f"{pointer}/{place}")
        if len(value) > MOST_LISTED:
            yield f"{pointer}/…", f"and {len(value) - MOST_LISTED:,} more"
    else:
        yield pointer, value


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "–" if value is None else str(value)
