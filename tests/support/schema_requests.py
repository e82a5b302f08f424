"""Makes up bodies and parameters from their JSON Schema: some that fit it, some that nearly do.

Whether one fits is never taken from here but asked of the schema; this only makes both kinds likely.
"""

import base64
import io
from random import Random
from typing import Any

from PIL import Image

LETTERS = "aZ9é ñŁß中한ش😀'-._/%+@\u00a0\u200b\u0301\u3000"
NASTY = ["", " ", "\u0000", "a\n", " a", "a ", "\u0085", "\u2028", "a\u007f", "\u009f", "é" * 600, "null", "\ufeffa"]


def picture(random: Random) -> str:
    out = io.BytesIO()
    size = random.choice([(1, 1), (8, 8), (64, 48)])
    Image.new(random.choice(["RGB", "L"]), size, random.randrange(256)).save(out, random.choice(["JPEG", "PNG"]))
    return base64.b64encode(out.getvalue()).decode()


GOOD_OF: dict[str, list[str]] = {
    "email": [
        *("ana@example.com", "o'brien@example.ie", "josé@example.es", "a.b.c.d@mail.example.co.uk", "x+tag@b.de"),
        *("a@münchen.de", "用户@例子.广告", "UPPER@EXAMPLE.COM", "a_b-c%d@x1.info", "1@2.de"),
    ],
    "webhook-url": [
        *(
            "https://hooks.example.com",
            "https://localhost:8443/x",
            "http://localhost:3000/x",
            "http://127.0.0.1",
            "https://a.example:65535/?a=%20b#c",
            "https://8.8.8.8",
        ),
        *(
            "https://münchen.example/ü",
            "https://[2606:4700::1111]:10443/",
            "https://x.example/a@b",
            "https://A_b.example",
        ),
    ],
    "past-date": ["1990-04-23", "2000-02-29", "2026-01-31", "1900-12-30", "0001-01-01", "2024-02-29"],
    "date-time": [
        *("2026-01-29T10:00:00Z", "2026-08-31T23:59:59.123456789+14:00", "2024-02-29t00:00:00z"),
        *("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-12-30T05:00:00-03:30"),
    ],
}
BAD_OF: dict[str, list[str]] = {
    "email": [
        "a@b",
        "a..b@c.de",
        "a b@c.de",
        "a@b.de\n",
        "@c.de",
        "a@",
        '"q"@c.de',
        "a@-b.de",
        "a" * 65 + "@c.de",
        ".a@c.de",
    ],
    "webhook-url": [
        *("http://a.example", "http://localhost.example/", "http://localhost:3000@a.example", "http://127.0.0.1:65536"),
        *("HTTPS://a.example", "https://", "https:/x", "https://10.0.0.1/", "https://a@b.example"),
        *(
            "https://a.example:0",
            "https://a.example:65536",
            "https://a b.example",
            "https://169.254.169.254/",
            "https://a\\b",
        ),
    ],
    "past-date": [
        "2023-02-29",
        "1990-1-1",
        "2999-01-01",
        "0000-01-01",
        "1990-04-31",
        "1990-04-23T00:00:00",
        "1900-02-29",
    ],
    "date-time": [
        "2026-01-29",
        "2026-02-30T00:00:00Z",
        "2026-01-29T24:00:00Z",
        "2026-01-29T10:00:60Z",
        "2026-01-29T10:00:00",
    ],
    "picture": ["", "aGVsbG8=", "/9j/", "iVBORw0KGgoAAAA=", "data:image/png;base64,iVBORw0KGgo="],
}
BY_PATTERN: list[tuple[str, list[str]]] = [
    ("^\\+[1-9]", ["+12", "+5491123456789", "+123456789012345", "+1", "+0123", "+1234567890123456", "12", "+1 2"]),
    ("^AA[A-Za", ["AA" + "_" * 30, "AAZ" + "a" * 29, "AB" + "a" * 30, "AA" + "a" * 29, "x"]),
    ("^evt_", ["evt_" + "a" * 36, "evt_" + "-" * 36, "evt_x", "EVT_" + "a" * 36]),
    ("^[A-Za-z0-9]+$", ["A1", "12345678Z", "x" * 300, "12-34", "é", ""]),
    ("^[A-Za-z0-9-]+$", ["en", "zh-Hant-TW", "e", "en_US", "x" * 21]),
]


class Maker:
    """Makes values of the schemas of one description."""

    def __init__(self, description: dict[str, Any], random: Random) -> None:
        self.components, self.random = description["components"]["schemas"], random

    def value(self, schema: dict[str, Any], wild: float) -> Any:
        """One value; with this chance each of its parts is one that may not fit."""
        random = self.random
        if "$ref" in schema:
            return self.value(self.components[schema["$ref"].rpartition("/")[2]], wild)
        if random.random() < wild / 3:
            return random.choice([None, True, 0, -1, 1.5, "x", [], {}, "", 10**18, [None]])
        if "anyOf" in schema:
            return self.value(random.choice(schema["anyOf"]), wild)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            word = random.choice(schema["enum"])
            return random.choice([word.lower(), word + " ", "XX"]) if random.random() < wild else word
        kind = schema.get("type")
        if kind == "object":
            return self.object(schema, wild)
        if kind == "array":
            return [
                self.value(schema["items"], wild) for _ in range(random.randrange(min(4, schema.get("maxItems", 4))))
            ]
        if kind == "string":
            return self.text(schema, wild)
        if kind == "boolean":
            return random.random() < 0.5
        if kind == "null":
            return None
        return self.number(schema, wild)

    def object(self, schema: dict[str, Any], wild: float) -> Any:
        random, required = self.random, schema.get("required", [])
        made = {
            name: self.value(part, wild)
            for name, part in schema.get("properties", {}).items()
            if (name in required and random.random() >= wild / 5) or random.random() < 0.4
        }
        if random.random() < wild / 5:
            made[random.choice(["extra", "confg", *list(schema.get("properties", {}))[:1]]) + "x"] = 1
        return made

    def number(self, schema: dict[str, Any], wild: float) -> Any:
        random = self.random
        low, high = schema.get("minimum", 0), schema.get("maximum", 100)
        if random.random() < wild:
            return random.choice([low - 1, high + 1, low - 0.0001, high + 0.0001, str(low), low + 0.5])
        if schema["type"] == "integer":
            whole = random.choice([low, high, random.randint(low, high)])
            return float(whole) if random.random() < 0.2 else whole
        return random.choice([low, high, round(random.uniform(low, high), 4)])

    def text(self, schema: dict[str, Any], wild: float) -> str:
        random = self.random
        form, bad = schema.get("x-format") or schema.get("format", ""), random.random() < wild
        if form == "picture" and not bad:
            return picture(random)
        if form == "uuid":
            good = f"{random.getrandbits(128):032x}"
            good = "-".join((good[:8], good[8:12], good[12:16], good[16:20], good[20:]))
            return random.choice(["{" + good + "}", good[:-1], good.replace("-", ""), good + "\n"]) if bad else good
        if form in GOOD_OF or form in BAD_OF:
            return random.choice(BAD_OF[form] if bad else GOOD_OF[form])
        for start, texts in BY_PATTERN:
            if schema.get("pattern", "").startswith(start):
                return random.choice(texts if bad else texts[:2])
        if bad:
            return random.choice(NASTY)
        middle = "".join(random.choice(LETTERS) for _ in range(random.randrange(8)))
        return f"a{middle}z"[: schema.get("maxLength", 255)]
