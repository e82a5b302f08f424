"""The page about the API, from the OpenAPI description: every call, every body, every answer. Only the site has it."""

import json
import re
from typing import Any

from truename.api.app import OPERATIONS
from truename.api.openapi import described
from truename.plumbing.http.answers import encode

HEAD = """# API

Every call of the service, made from the OpenAPI description that it serves at `/openapi.json`; `/docs` of a running
service shows the same with a way to try it. Requests and answers are JSON. Every refusal is a problem with a stable
code: [errors](errors.md). How to get a token: [`issueToken`](#issuetoken). What a token may do: [scopes](scopes.md).
How lists are read: [pagination](pagination.md). How often you may call: [rate limits](rate-limits.md).

Written by `make docs` from the code.
"""
Part = dict[str, Any]


def page() -> str:
    """The whole page."""
    whole = json.loads(encode(described(OPERATIONS, "http://localhost:8000")))
    calls = [(path, method, one) for path, methods in whole["paths"].items() for method, one in methods.items()]
    parts = [HEAD]
    for tag in whole["tags"]:
        parts.append(f"## {tag['name']}\n\n{tag['description']}\n")
        parts += [operation(path, method, one) for path, method, one in calls if tag["name"] in one["tags"]]
    parts.append("## Shapes\n\nWhat the calls above name. A field is always there unless it is optional.\n")
    schemas = whole["components"]["schemas"]
    parts += [shape(name, schemas[name]) for name in sorted(schemas)]
    return "\n".join(parts)


def operation(path: str, method: str, one: Part) -> str:
    lines = [f"### {one['operationId']}", "", f"`{method.upper()} {path}`", "", f"**{one['summary']}.**"]
    if one.get("description"):
        lines.append(one["description"])
    lines += ["", access(one)]
    given = [row for row in one.get("parameters", []) if "name" in row]
    if given:
        lines += ["", "| Parameter | In | Type | |", "|-|-|-|-|"]
        lines += [
            f"| `{row['name']}` | {row['in']} | {kind(row['schema'])} | {cell(row.get('description', ''))} |"
            for row in given
        ]
    for media, content in one.get("requestBody", {}).get("content", {}).items():
        lines += ["", f"Body (`{media}`): {kind(content['schema'])}"]
    lines += ["", "Answers:", ""]
    for status, answer in one["responses"].items():
        if status < "300":
            shapes = [kind(content["schema"]) for content in answer.get("content", {}).values()]
            lines.append(f"- `{status}` {cell(answer['description'])} {' or '.join(dict.fromkeys(shapes))}".rstrip())
    refused = [status for status in one["responses"] if status >= "300"]
    lines.append(f"- refused with {', '.join(f'`{status}`' for status in refused)}: [Problem](#problem)")
    return "\n".join(lines) + "\n"


def access(one: Part) -> str:
    if not one["security"]:
        return "Needs no token."
    (name, scopes), *_ = one["security"][0].items()
    if name == "sdk_token":
        return "Needs the `sdk_token` of the transaction."
    repeat = any("IdempotencyKey" in row.get("$ref", "") for row in one.get("parameters", []))
    scope = f"Needs the scope `{scopes[0]}`." if scopes else "Needs an access token."
    return scope + (" Repeat it safely with an `Idempotency-Key`." if repeat else "")


def shape(name: str, schema: Part) -> str:
    lines = [f"### {name}", ""]
    words, _, explained = schema.get("description", "").partition("\n\n")
    if words:
        lines += [cell(words), ""]
    if "enum" in schema:
        rows = dict(re.findall(r"^- `([^`]+)`: (.*)$", explained, re.MULTILINE))
        if rows:
            lines += ["| Word | |", "|-|-|", *(f"| `{word}` | {cell(rows.get(word, ''))} |" for word in schema["enum"])]
        else:
            lines.append(", ".join(f"`{word}`" for word in schema["enum"]))
    elif "properties" in schema:
        required = set(schema.get("required", ()))
        lines += ["| Field | Type | |", "|-|-|-|"]
        for field, part in schema["properties"].items():
            optional = "" if field in required else "Optional. "
            default = f" Default: `{part['default']}`." if part.get("default") is not None else ""
            words = f"{optional}{cell(part.get('description', ''))}{default}{bounds(part)}"
            lines.append(f"| `{field}` | {kind(part)} | {words} |")
    elif "anyOf" in schema:
        lines.append(kind(schema))
    else:
        lines.append("An object without fields.")
    return "\n".join(lines) + "\n"


def bounds(part: Part) -> str:
    low, high = part.get("minimum"), part.get("maximum")
    return f" From {low} to {high}." if low is not None and high is not None else ""


def kind(schema: Part) -> str:
    """The type of a schema in words, with links to shapes."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind(one) for one in schema["anyOf"]))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        words = schema["enum"]
        return " · ".join(f"`{word}`" for word in words) if len(words) <= 12 else f"one of {len(words)} words"
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {kind(schema['additionalProperties'])}"
    form = {"uuid": "UUID", "date-time": "time (RFC 3339)", "date": "date", "binary": "bytes", "uri": "address"}
    return form.get(schema.get("format", ""), str(schema.get("type", "any")))


def cell(text: str) -> str:
    """Words that may stand in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
