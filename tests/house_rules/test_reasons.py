"""Is every reason that the code can give in the one list, and everything in the list given somewhere?"""

import ast
import re
from pathlib import Path

from truename.rules.authenticity_signs import AuthenticitySign
from truename.rules.reasons import REASONS

SOURCE = Path(__file__).parents[2] / "src" / "truename"
PLACES = [
    *sorted((SOURCE / "rules" / "checks").glob("*.py")),
    SOURCE / "vision" / "liveness" / "score.py",
    SOURCE / "vision" / "face" / "compare.py",
    SOURCE / "vision" / "document" / "read.py",
]
"""Where reasons are written down."""
NOT_REASONS = {"CUSTOMER_RECORD"}
"""Another word in an issue's details: what it was compared with."""
BY_QUALITY = {"SEVERAL_FACES", "NO_DOCUMENT", "UNREADABLE", "NO_FACE", "SCREEN", "PHOTOCOPY"}
"""Reasons that are words of QualityReason."""
BY_SIGN = {sign.value for sign in AuthenticitySign}


def written() -> set[str]:
    return {
        node.value
        for path in PLACES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"[A-Z]+(_[A-Z]+)*", node.value)
        and len(node.value) > 3
    }


def test_the_list_holds_every_reason_and_no_other():
    matched = {reason for reason in REASONS if reason.startswith("MATCHED_")}
    assert set(REASONS) == (written() - NOT_REASONS) | BY_QUALITY | BY_SIGN | matched


def test_no_reason_leaves_open_whether_one_of_two_is_meant_or_both():
    assert [reason for reason, words in REASONS.items() if re.search(r"\beither (side|one|of)\b", words)] == []
    assert REASONS["NO_FACE"] == "No face was found where one is needed."
