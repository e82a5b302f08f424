"""Write what the Python client knows of the interface, from the OpenAPI description and the table of error codes.

client/src/truename_client/words.py     lists of words, as Literal
client/src/truename_client/bodies.py    what is sent, as TypedDict
client/src/truename_client/answers.py   what is answered, as frozen dataclasses
client/src/truename_client/problems.py  one exception for each code

Whatever is reached from a body that is sent is a TypedDict everywhere: a `config` that was answered may be sent again
as it is. What only the SDK's side speaks is left out: the client is for servers.
"""

import json
import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from truename.api.app import OPERATIONS
from truename.api.openapi import described
from truename.plumbing.error_codes import PROBLEMS
from truename.plumbing.http.answers import encode

PACKAGE: Final = Path(__file__).parents[1] / "client" / "src" / "truename_client"
LEFT_OUT: Final = {"SDK", "Service"}
"""Tags of operations that no integrator's server calls."""
SDK_ONLY: Final = re.compile(
    r"handoff_|challenge_|frames_|consent_|capture_|demo_|wrong_step|already_submitted|too_many_(takes|attempts)"
)
"""Codes that only the SDK's side is told."""
BASES: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Gone",
    413: "ContentTooLarge",
    415: "UnsupportedContent",
    422: "Unprocessable",
    429: "RateLimited",
    500: "ServerFailed",
    503: "Unavailable",
}
MANY: Final = 20
"""A list of more words than this, such as all countries, is plain text when it has no name of its own."""
MADE: Final = "Made by tools/client_models.py (`make docs`); do not edit by hand."
MEMBERS: Final = {
    "customer_already_exists": ("customer_id", "The customer that there is: use it."),
    "wrong_state": ("transaction_status", "The status at that moment."),
}
"""What the problem of a code carries beyond the usual."""

Schema = dict[str, Any]


def name_of(reference: str) -> str:
    return reference.rpartition("/")[2]


def references(part: Any) -> Iterator[str]:
    """Every component that this part refers to, also through others' properties."""
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str) and "/schemas/" in part["$ref"]:
            yield name_of(part["$ref"])
        for one in part.values():
            yield from references(one)
    elif isinstance(part, list):
        for one in part:
            yield from references(one)


class Description:
    """The part of the OpenAPI description that concerns an integrator's server."""

    def __init__(self) -> None:
        whole = json.loads(encode(described(OPERATIONS, "http://localhost:8000")))
        self.schemas: dict[str, Schema] = whole["components"]["schemas"]
        calls = [one for path in whole["paths"].values() for one in path.values() if not LEFT_OUT & set(one["tags"])]
        self.sent = self.reached(one["requestBody"] for one in calls if "requestBody" in one)
        answers = self.reached(
            [reply for one in calls for status, reply in one["responses"].items() if status < "300"]
            + [whole["webhooks"]]
        )
        self.answered = answers - self.sent
        self.used = self.sent | answers

    def reached(self, parts: Iterable[Any]) -> set[str]:
        found: set[str] = set()
        waiting = list(references(list(parts)))
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += references(self.schemas[name])
        return found

    def is_word(self, name: str) -> bool:
        return "enum" in self.schemas[name]

    def written(self, schema: Schema) -> str:
        """The Python type of a schema."""
        if "$ref" in schema:
            return name_of(schema["$ref"])
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.written(one) for one in schema["anyOf"]))
        if "const" in schema:
            return f"Literal[{schema['const']!r}]".replace("'", '"')
        if "enum" in schema:
            return literal(schema["enum"]) if len(schema["enum"]) <= MANY else "str"
        kind = schema.get("type")
        if kind == "array":
            return f"list[{self.written(schema.get('items', {}))}]"
        if kind == "object":
            inner = schema.get("additionalProperties")
            return f"dict[str, {self.written(inner) if isinstance(inner, dict) else 'object'}]"
        if kind == "string":
            return "datetime" if schema.get("format") == "date-time" else "str"
        return {"integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(str(kind), "object")


def literal(words: list[str]) -> str:
    return "Literal[" + ", ".join(f'"{word}"' for word in words) + "]"


def doc(text: str, indent: str = "    ") -> list[str]:
    """A docstring of some words, or none."""
    words = " ".join(text.split())
    if not words:
        return []
    lines = textwrap.wrap(words, 110 - len(indent))
    if len(lines) == 1:
        return [f'{indent}"""{lines[0]}"""']
    return [f'{indent}"""{lines[0]}', *(indent + line for line in lines[1:]), f'{indent}"""']


def attribute(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


def words_module(known: Description) -> str:
    lines = [f'"""Lists of words of the interface. {MADE}"""', "", "from typing import Literal", ""]
    for name in sorted(known.used | {"ProblemCode", "FaultCode"}):
        if known.is_word(name):
            schema = known.schemas[name]
            about = schema.get("description", "").partition("\n\n")[0]
            lines += ["", f"{name} = {literal(schema['enum'])}", *doc(about, "")]
    return "\n".join(lines) + "\n"


def imports(known: Description, names: set[str], text: str, module: str) -> list[str]:
    """The lines that bring in what this text uses from the other modules."""
    used = {name for name in known.used if re.search(rf"\b{name}\b", text)}
    rows = {
        "truename_client.bodies": {name for name in used & known.sent if not known.is_word(name)} - names,
        "truename_client.words": {name for name in used if known.is_word(name)},
    }
    return [
        f"from {place} import {', '.join(sorted(some))}" for place, some in rows.items() if some and place != module
    ]


def bodies_module(known: Description) -> str:
    names = {name for name in known.sent if not known.is_word(name) and name != "Nothing"}
    lines: list[str] = []
    for name in ordered(known, names):
        schema = known.schemas[name]
        lines += ["", "", f"class {name}(TypedDict):", *about(name, schema)]
        required = set(schema.get("required", ()))
        for field, part in schema.get("properties", {}).items():
            kind = known.written(part).replace("datetime", "str")
            lines += [f"    {field}: {kind if field in required else f'NotRequired[{kind}]'}"]
            lines += doc(part.get("description", ""))
    text = "\n".join(lines)
    head = [f'"""What is sent to the service. {MADE}"""', "", typing_line(text, "NotRequired", "TypedDict")]
    return "\n".join([*head, "", *imports(known, names, text, "truename_client.bodies")]) + text + "\n"


def answers_module(known: Description) -> str:
    names = {name for name in known.answered if not known.is_word(name)}
    lines: list[str] = []
    for name in ordered(known, names):
        schema = known.schemas[name]
        if "properties" not in schema:
            lines += ["", "", f"{name} = {known.written(schema)}", *doc(schema.get("description", ""), "")]
            continue
        lines += ["", "", "@dataclass(frozen=True, kw_only=True)", f"class {name}:"]
        lines += about(name, schema)
        required = set(schema.get("required", ()))
        for field, part in schema["properties"].items():
            lines += [f"    {member(field, known.written(part), field in required)}"]
            lines += doc(part.get("description", ""))
    text = "\n".join(lines)
    head = [f'"""What the service answers. {MADE}"""', "", "from dataclasses import dataclass"]
    if "field(" in text:
        head[-1] += ", field"
    head += ["from datetime import datetime", typing_line(text)]
    return "\n".join([*head, "", *imports(known, names, text, "truename_client.answers")]) + text + "\n"


def about(name: str, schema: Schema) -> list[str]:
    """The docstring of a class: the description's words, or else its name in words."""
    return [*(doc(schema.get("description", "")) or [f'    """{spoken(name)}."""']), ""]


def member(name: str, kind: str, required: bool) -> str:
    if attribute(name) != name:
        default = "" if required else "default=None, "
        return f'{attribute(name)}: {kind} = field({default}metadata={{"json": "{name}"}})'
    if required:
        return f"{name}: {kind}"
    return f"{name}: {kind if kind.endswith('None') else kind + ' | None'} = None"


def spoken(name: str) -> str:
    words = re.findall(r"[A-Z][a-z]*", name)
    return " ".join([words[0], *(word.lower() for word in words[1:])])


def typing_line(text: str, *always: str) -> str:
    used = sorted({*always, *(["Literal"] if "Literal[" in text else [])})
    return f"from typing import {', '.join(used)}" if used else ""


def ordered(known: Description, names: set[str]) -> list[str]:
    """Each after what it is made of, otherwise by name."""
    found: list[str] = []

    def place(name: str, above: tuple[str, ...] = ()) -> None:
        for part in sorted(set(references(known.schemas[name])) & names - {*found, *above, name}):
            place(part, (*above, name))
        if name not in found:
            found.append(name)

    for name in sorted(names):
        place(name)
    return found


def problems_module() -> str:
    bases: set[str] = set()
    rows: list[str] = []
    table: list[str] = []
    for code, row in PROBLEMS.items():
        if SDK_ONLY.match(code):
            continue
        base = BASES.get(row.status, "ApiError")
        bases.add(base)
        name = "".join(word.capitalize() for word in code.split("_"))
        table.append(f'    "{code}": {name},')
        if name == base:
            continue
        rows += ["", "", f"class {name}({base}):", *doc(f"{row.status}: {row.meaning} {row.remedy}")]
        rows += ["", f'    code_of_class: ClassVar[str | None] = "{code}"']
        if code in MEMBERS:
            attribute_name, words = MEMBERS[code]
            rows += ["", "    @property", f"    def {attribute_name}(self) -> str:", *doc(words, "        ")]
            rows += [f'        return str(self.refused.members.get("{attribute_name}", ""))']
    head = [
        f'"""One exception for each code of a problem. {MADE}"""',
        "",
        "from typing import ClassVar",
        "",
        f"from truename_client.errors import {', '.join(sorted(bases | {'ApiError'}))}",
    ]
    end = ["", "", "BY_CODE: dict[str, type[ApiError]] = {", *table, "}"]
    return "\n".join([*head, *rows, *end]) + "\n"


def modules() -> dict[Path, str]:
    """Every module that is made, by its file, as ruff formats it."""
    known = Description()
    return {
        PACKAGE / "words.py": formatted(words_module(known)),
        PACKAGE / "bodies.py": formatted(bodies_module(known)),
        PACKAGE / "answers.py": formatted(answers_module(known)),
        PACKAGE / "problems.py": formatted(problems_module()),
    }


def formatted(text: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    for arguments in (("check", "-q", "--fix", "--select", "I,F401", "-"), ("format", "-q", "-")):
        given = ["--stdin-filename", str(PACKAGE / "made.py"), *arguments[1:]]
        ran = subprocess.run([ruff, arguments[0], *given], input=text, capture_output=True, text=True, check=True)
        text = ran.stdout
    return text


if __name__ == "__main__":
    for path, text in modules().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(PACKAGE.parents[2]))
