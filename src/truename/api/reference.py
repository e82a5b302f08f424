"""The reference page: the OpenAPI description written out for people, as one page without scripts."""

import json
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

TEMPLATE: Final = Path(__file__).with_name("reference.html")


def reference_page(description: dict[str, Any]) -> bytes:
    """The whole page, ready to be served: it needs no network and no JavaScript."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["pretty"] = lambda value: json.dumps(value, indent=2, ensure_ascii=False)
    environment.filters["marked"] = marked
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    schemas = description["components"]["schemas"]
    return template.render(
        info=description["info"],
        server=description["servers"][0]["url"],
        groups=_groups(description),
        schemas=sorted(schemas.items()),
        kind=kind,
        rules=rules,
    ).encode()


def marked(text: str) -> Markup:
    """Text whose `code` is set in code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


def _groups(description: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    groups: dict[str, list[dict[str, Any]]] = {tag["name"]: [] for tag in description["tags"]}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            groups[operation["tags"][0]].append({"path": path, "method": method.upper(), **operation})
    return list(groups.items())


def kind(schema: dict[str, Any]) -> Markup:
    """The type of a value in a few words, with links to the shapes it is made of."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#schema-{0}">{0}</a>').format(name)
    if "anyOf" in schema:
        return Markup(" or ").join(kind(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return Markup("list of {}").format(kind(schema.get("items", {})))
    if "const" in schema:
        return Markup("<code>{}</code>").format(schema["const"])
    if "enum" in schema and len(schema["enum"]) <= 12:
        return Markup(" | ").join(Markup("<code>{}</code>").format(word) for word in schema["enum"])
    if "allOf" in schema and len(schema["allOf"]) == 1:
        return kind(schema["allOf"][0])
    if isinstance(schema.get("additionalProperties"), dict):
        return Markup("map to {}").format(kind(schema["additionalProperties"]))
    return Markup("{}").format(schema.get("format") or schema.get("type") or "anything")


def rules(schema: dict[str, Any]) -> Markup:
    """Range, length and default of a value."""
    said = []
    if "minimum" in schema or "maximum" in schema:
        said.append(f"{schema.get('minimum', '−∞')} to {schema.get('maximum', '∞')}")
    if "maxLength" in schema:
        said.append(f"at most {schema['maxLength']} characters")
    if "default" in schema:
        said.append(f"default `{json.dumps(schema['default'])}`")
    if schema.get("description"):
        said.append(schema["description"])
    return marked("; ".join(said))
