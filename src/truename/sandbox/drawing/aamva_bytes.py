"""Write the bytes of an AAMVA barcode, apart from the code under test."""

from datetime import date
from typing import Final

from anyascii import anyascii

from truename.sandbox.drawing.subjects import Person

JURISDICTIONS: Final = {
    "USA": ("636000", "RICHMOND", "VA", "232180000  "),
    "CAN": ("636012", "TORONTO", "ON", "M5V 2T6    "),
}
"""Number of the issuer, town, state and postcode of the addresses, by country."""


def aamva_payload(
    person: Person, number: str, issued: date, expires: date, version: int = 8, country: str = "USA", kind: str = "DL"
) -> bytes:
    """The data of an AAMVA card of the given standard version, one subfile: a licence (DL) or an identity card (ID)."""
    issuer, town, state, postcode = JURISDICTIONS[country]
    day = "%Y%m%d" if version == 1 or country == "CAN" else "%m%d%Y"
    surnames, given_names = _plain(person.surnames), _plain(person.given_names)
    first, _, middle = given_names.partition(" ")
    sex = {"M": "1", "F": "2"}.get(person.sex, "9")
    elements = {"DAQ": number, "DBA": f"{expires:{day}}", "DBB": f"{person.born:{day}}", "DBD": f"{issued:{day}}"}
    elements |= {"DBC": sex, "DAG": "123 MAIN STREET", "DAI": town, "DAJ": state, "DAK": postcode}
    if version == 1:
        elements |= {"DAA": f"{surnames},{first},{middle}"}
    elif version <= 3:
        elements |= {"DCS": surnames, "DCT": f"{first},{middle}" if middle else first, "DCG": country}
    else:
        elements |= {"DCS": surnames, "DAC": first, "DAD": middle or "NONE", "DCG": country}
        elements |= {"DDE": "N", "DDF": "N", "DDG": "N", "DCF": "2424244747474786102204"}
    body = kind + "\n".join(key + value for key, value in elements.items()) + "\r"
    jurisdiction = "" if version == 1 else "00"
    header = f"@\n\x1e\r{'AAMVA' if version == 1 else 'ANSI '}{issuer}{version:02d}{jurisdiction}01"
    offset = len(header) + 10
    return f"{header}{kind}{offset:04d}{len(body):04d}{body}".encode("latin-1")


def _plain(name: str) -> str:
    """In capitals without accents, as these cards write names."""
    return anyascii(name).upper()
