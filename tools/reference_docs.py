"""Writes docs/reference/ from spec/interface.toml and the rules: `python tools/reference_docs.py [--check]`."""

import sys
import tomllib
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from truename.rules.config import TransactionType
from truename.rules.countries import COUNTRIES
from truename.rules.documents import Expiry, supported
from truename.rules.evidence import DocumentType, FieldName, Source
from truename.rules.issues import catalogue
from truename.rules.results import CheckName, Outcome

ROOT = Path(__file__).resolve().parents[1]
SPEC: dict[str, Any] = tomllib.loads((ROOT / "spec" / "interface.toml").read_text(encoding="utf-8"))
MADE = "<!-- Made by tools/reference_docs.py from spec/interface.toml and src/truename/rules/. Do not edit by hand. -->"


def table(head: list[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [head, ["-"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def code(word: object) -> str:
    return f"`{word}`"


# ── config.md ──────────────────────────────────────────────────────────────────────────────────────────────


def kind_of(fact: dict[str, Any]) -> str:
    kind = str(fact["type"])
    if kind in SPEC["words"]:
        kind = " \\| ".join(code(word) for word in SPEC["words"][kind])
    elif kind == "country":
        kind = "ISO 3166-1 alpha-2"
    elif kind == "date":
        kind = "date `YYYY-MM-DD`"
    if "minimum" in fact:
        kind += f", {fact['minimum']} to {fact['maximum']}"
    if "maximum_items" in fact:
        kind += f", at most {fact['maximum_items']:,} items"
    if "starts_with" in fact:
        kind += f" that starts with {code(fact['starts_with'])}"
    if "pattern" in fact:
        kind += ", letters and digits"
    return kind + (", or null" if fact.get("null") else "")


def default_of(fact: dict[str, Any]) -> str:
    if fact.get("required"):
        return "required"
    if fact.get("null"):
        return "`null`"
    if "default" in fact:
        return code(str(fact["default"]).lower() if isinstance(fact["default"], bool) else fact["default"])
    return "none" if "applies_to" not in fact and fact["field"] != "blacklist_policy" else "its defaults"


def issues_of(fact: dict[str, Any]) -> str:
    return ", ".join(code(issue) for issue in fact.get("issues", [fact["issue"]] if "issue" in fact else []))


def fields(parent: str) -> str:
    inside = [fact for fact in SPEC["config"] if section_of(fact["field"]) == parent]
    rows = [
        [
            code(fact["field"].removeprefix(parent + ".")),
            kind_of(fact),
            default_of(fact),
            issues_of(fact),
            fact["about"],
        ]
        for fact in inside
    ]
    return table(["Field", "Value", "Default", "Issue", "Meaning"], rows)


def section_of(field: str) -> str:
    for section in SECTIONS:
        if field.startswith(section + "."):
            return section
    return ""


SECTIONS = {
    "document_policy.document_eligibility": "A document that cannot be recognised, or is not in the list of "
    "[supported documents](supported-documents.md), emits `DOCUMENT_TYPE_NOT_SUPPORTED`; a supported one that this "
    "rule excludes emits `DOCUMENT_NOT_ELIGIBLE`. An expired document needs an entry of its exact country and type "
    "with `allow_expired: true`; a document is valid through its date of expiry.",
    "document_policy.data_matching": "Names are compared in Latin letters (everyday ones, those of ICAO 9303, or "
    "those of the passports of their country), "
    "without case, marks and punctuation, and in any order; they score 1.0 if and only if they are equal after that, "
    "and 0.99 when only their spaces differ. What must be matched and could not be read is a mismatch with "
    '`details.reason: "NOT_EXTRACTED"`, and so is a number or date against whose reading the zone\'s own check digit '
    "speaks (`\"CHECK_DIGIT_FAILED\"`). For some cards either the card's or the holder's number matches: see "
    "[supported documents](supported-documents.md). A name must have a letter.",
    "device_policy": "Each field takes an action. What a device does not tell is shown as a check that was not run, "
    "never as one that passed.",
    "document_policy": "",
    "biometric_policy": 'A face that is missing fails its comparison with `details.reason: "NO_FACE"`; no live face '
    "is a liveness score of 0. Ages count in whole years, and an age or gender that could not be estimated does not "
    "satisfy an expectation.",
    "blacklist_policy": "Validated always, enforced only where the account's setting `face_search` is `enforce`; with "
    "`report` the checks are shown and no issue arises, and with `off`, the default, they are shown as `NOT_RUN`. The "
    "same holds for `biometric_policy.on_another_customer_repeated_face`. See [face search](../how-to/face-search.md).",
    "webhook": "Spaces, control characters, backslashes and credentials are refused, and so is an address of more than "
    "2,048 characters. An internationalised host is kept in punycode. Sandbox and trial accounts may name this machine "
    "by plain `http` too ([how](../how-to/webhooks-on-your-laptop.md)).",
}
ORDER = ["", "webhook", "device_policy", "document_policy", *list(SECTIONS)[:2], "biometric_policy", "blacklist_policy"]


def _types(found: object) -> str:
    names = [str(one) for one in found] if isinstance(found, list) else []
    return "every type" if len(names) == len(TransactionType) else ", ".join(names)


def config_page() -> str:
    parts = [
        "# The `config` of a transaction",
        MADE,
        "Every field is optional unless it says *required*; an empty object is valid. A field that is left out has its "
        "default. `null` is accepted only where it says so, and an unknown field is refused at every level. "
        "`60.0` counts as 60, but text and booleans are never numbers. All faults are answered at once, each with its "
        "JSON pointer.",
        "An action sets the severity of an issue: "
        + ", ".join(f"{code(act)} gives {code(severity)}" for act, severity in SPEC["severity_of_action"].items())
        + ". A transaction is rejected if and only if one of its issues is a rejection.",
    ]
    for section in ORDER:
        parts += [f"## `{section}`" if section else "## Fields"]
        parts += [text for text in [SECTIONS.get(section, "")] if text]
        parts += [fields(section)]
    applying = [
        [code(fact["field"]), ", ".join(code(kind) for kind in fact["applies_to"])]
        for fact in SPEC["config"]
        if "applies_to" in fact
    ]
    parts += ["## Which policies apply", table(["Policy", "Transaction types"], applying)]
    return "\n\n".join(parts) + "\n"


# ── issue-codes.md ─────────────────────────────────────────────────────────────────────────────────────────


def issues_page() -> str:
    parts = [
        "# Issue codes",
        MADE,
        f"The analysis can emit {len(catalogue())} codes, no other. The same list is served by "
        "`GET /api/account/integration/kyc/issue-codes`. *Severity* is that of an empty config; where a policy is "
        "named, its action sets the severity.",
    ]
    for group, rows in groupby(catalogue(), key=lambda row: row["group"]):
        parts += [
            f"## {str(group).replace('_', ' ').capitalize()}",
            table(
                ["Code", "Severity", "Policy", "Applies to", "Meaning"],
                [
                    [
                        code(row["code"]),
                        str(row["default_severity"]).lower(),
                        code(row["policy"]) if row["policy"] else "",
                        _types(row["applies_to"]),
                        f"{row['explanation']} *An extension: the interface has no such code.*"
                        if row["extension"]
                        else str(row["explanation"]),
                    ]
                    for row in rows
                ],
            ),
        ]
    changes = [
        (name, fact["against_record"])
        for codes in SPEC["issues"].values()
        for name, fact in codes.items()
        if "against_record" in fact
    ]
    parts += [
        "## Consistency with the customer's record",
        "Names, gender and date of birth are also compared with the customer's last approved document. A difference "
        'has `details.compared_with: "CUSTOMER_RECORD"` and a severity of its own, because names and gender can '
        "lawfully change. A date of birth that could not be read counts as a difference; unread names and gender leave "
        "the check inconclusive.",
        table(["Code", "Severity"], [[code(name), severity.lower()] for name, severity in changes]),
        "## Details",
        "`details` holds scores, thresholds, reasons and codes of countries and types. It never holds a name, a number "
        "or a date of the person.",
        "## Checks",
        "A result lists every check with " + ", ".join(code(outcome) for outcome in Outcome) + ", its score, its "
        "threshold and the reason. A check that could not run is never shown as passed.",
        ", ".join(code(check) for check in CheckName) + ".",
    ]
    return "\n\n".join(parts) + "\n"


# ── supported-documents.md ─────────────────────────────────────────────────────────────────────────────────

SHORT = {Source.MRZ: "zone", Source.BARCODE: "barcode", Source.VISUAL: "print"}


def documents_page() -> str:
    rows = supported()
    kinds = list(DocumentType)
    by_country = {
        code_: {row.type: row for row in group} for code_, group in groupby(rows, key=lambda row: row.country)
    }

    def cell(country: str, kind: DocumentType) -> str:
        row = by_country[country].get(kind)
        if row is None:
            return ""
        return ", ".join(SHORT[source] for source in row.read_by) + (" (both sides)" if row.back else "")

    def kinds_that(expiry: Expiry) -> str:
        return ", ".join(f"{code(row.country)} {row.type.value}" for row in rows if row.expiry is expiry)

    by_holder = ", ".join(
        f"{code(row.country)} {row.type.value}" for row in rows if row.number[0] is FieldName.PERSONAL_NUMBER
    )
    parts = [
        "# Supported documents",
        MADE,
        f"{len(rows)} kinds of document of {len(by_country)} countries. What is not in this table is answered with "
        "`DOCUMENT_TYPE_NOT_SUPPORTED`, never guessed.",
        "*zone*: the machine-readable zone of ICAO Doc 9303, with all its check digits. *barcode*: PDF417, for example "
        "by the AAMVA standard. *print*: the printed text, by its labels or numbered fields. The most trusted source "
        "stands first. *both sides*: the back must be captured as well.",
        "Every document bears a date of expiry, and one whose date could not be read counts as expired, except for "
        "the kinds named here. Today is the date at UTC−12, where the day ends last on earth.",
        "- None bears a date, so that it is valid without end: " + kinds_that(Expiry.BEARS_NONE) + ".\n"
        "- Some bear none, so that an absent date leaves the check inconclusive: "
        + kinds_that(Expiry.MAY_BEAR_NONE)
        + ".\n"
        "- Nor do some driving licences of the Union issued before 19 January 2013 (a dash stands in field 4b); they "
        "are told by the date of issue in field 4a.\n"
        "- Some, mostly of the old, say in its place that there is none (`01 01 9999`, in the zone `990101` or "
        "fillers, or words); the date of expiry then reads `9999-12-31` and the document is valid: "
        + kinds_that(Expiry.MAY_SAY_WITHOUT_END)
        + ".",
        "`data_matching.document_number` means the number of the document, except for these kinds, which people know "
        "by the holder's own number: either of the two matches, and the check says which did: " + by_holder + ".",
        table(
            ["Country", "", *[code(kind) for kind in kinds]],
            [
                [code(country), COUNTRIES[country].name, *[cell(country, kind) for kind in kinds]]
                for country in by_country
            ],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def pages() -> dict[Path, str]:
    folder = ROOT / "docs" / "reference"
    return {
        folder / "config.md": config_page(),
        folder / "issue-codes.md": issues_page(),
        folder / "supported-documents.md": documents_page(),
    }


def main() -> int:
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'stale' if '--check' in sys.argv else 'written'}: {path.relative_to(ROOT)}")
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages()[path], encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
