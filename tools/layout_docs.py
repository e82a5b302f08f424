"""Write docs/reference/layouts.md from the layout files: `python tools/layout_docs.py [--check]`."""

import sys
from pathlib import Path

from truename.rules.countries import COUNTRIES
from truename.rules.documents import is_supported
from truename.rules.number_schemes import SCHEMES
from truename.vision.document.layouts.load import countries, languages
from truename.vision.document.layouts.model import DocumentLayout, KnownFrom, LayoutField

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "layouts.md"
MADE = "<!-- Made by tools/layout_docs.py from src/truename/vision/document/layouts/. Do not edit by hand. -->"


def page() -> str:
    known = [(code, document) for code, country in countries().items() for document in country.documents]
    specimens = sum(document.known_from is KnownFrom.SPECIMEN for _, document in known)
    parts = [
        "# Layouts",
        MADE,
        f"{len(known)} documents of {len({code for code, _ in known})} countries are described, with the words of "
        f"{len(countries())} countries and {len(languages())} languages. "
        "[How to add one](../how-to/add-a-document.md).",
        f"*known from*: {specimens} were held against pictures of such documents (specimen), the others are written "
        "from public descriptions. *places*: values are read by where they stand, also where no label can be read. "
        "*number*: what the document number looks like (`#` a digit, `@` a letter, `*` either), and by "
        "which rule it is checked. "
        "*accepted*: the service accepts the kind ([supported documents](supported-documents.md)); what is not "
        "accepted is recognised and answered with `DOCUMENT_TYPE_NOT_SUPPORTED`.",
        "| Country | Kind | Version | Known from | Form | Zone, barcode | Places | Number | Years | Accepted |",
    ]
    rows = [_row(code, document) for code, document in known]
    table = "\n".join([parts.pop(), "|" + " - |" * 10, *rows])
    notes = [
        f"- `{code}` {document.kind.value}, {document.version}: {document.note}"
        for code, document in known
        if document.note
    ]
    schemes = "\n".join(
        ["| Rule | Number | Check digit | Says of its holder |", "| - | - | - | - |"]
        + [
            f"| `{name}` | {scheme.title} | {'yes' if scheme.check else ''} | "
            f"{', '.join(scheme.says) if scheme.said else ''} |"
            for name, scheme in sorted(SCHEMES.items())
        ]
    )
    return "\n\n".join([*parts, table, "## Notes", "\n".join(notes), "## Rules of numbers", schemes]) + "\n"


def _row(code: str, document: DocumentLayout) -> str:
    number = document.fields.get(LayoutField.DOCUMENT_NUMBER)
    formats = ", ".join(f"`{one}`" for one in number.formats) if number else ""
    checked = f" by `{number.scheme}`" if number and number.scheme else ""
    machine = ", ".join(part for part in (document.zone and document.zone.value, document.barcode) if part)
    places = sum(field.place is not None for field in document.fields.values())
    cells = [
        f"`{code}` {COUNTRIES[code].name}", document.kind.value, document.version, document.known_from.value,
        document.form.value, machine, str(places) if places else "", formats + checked,
        ", ".join(map(str, document.years)), "yes" if is_supported(code, document.kind) else "no",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    text = page()
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{'stale' if '--check' in sys.argv else 'written'}: {PAGE.relative_to(ROOT)}")
    if "--check" in sys.argv:
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
