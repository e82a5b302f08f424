"""Is every sealed value bound to its place by a name that never changes?"""

import re
from pathlib import Path
from uuid import UUID

import pytest

from truename.media.faces import FaceOrigin, opened_template, plain_template, sealed_face, template_from_plain
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.master_key import GivenKeys
from truename.plumbing.crypto.vault import CannotOpen, Vault
from truename.plumbing.database.ids import new_id
from truename.vision.captures import FaceTemplate

SOURCE = Path(__file__).parents[2] / "src" / "truename"
ONE = UUID("019a8a5e-7c1d-7b3e-9f54-2d5c1f6a7b80")
TEMPLATE = FaceTemplate((0.25, -0.5, 1.0), "ab" * 32)


def test_names_of_seals_never_change():
    """A renamed seal opens nothing that was stored before."""
    for name, expected in (
        (seals.PROFILE, "profile"),
        (seals.DOCUMENT_RECORD, "record"),
        (seals.picture(ONE), f"media:{ONE}"),
        (seals.face_template(ONE), f"face:{ONE}"),
        (seals.data_matching(ONE), f"data_matching:{ONE}"),
        (seals.dossier(ONE), f"dossier:{ONE}"),
        (seals.device_signals(ONE), f"device_signals:{ONE}"),
        (seals.audit_reason(ONE), f"audit-reason:{ONE}"),
        (seals.handoff_origin(b"\x01\x02"), "handoff_origin:0102"),
        (seals.idempotent_answer("client", "key"), "idempotent_answer:client:key"),
        (seals.system_secret("name"), "system-secret/name"),
        (seals.webhook_secret(ONE), f"webhook-secret/{ONE}"),
        (seals.signing_key("kid"), "signing-key/kid"),
        (seals.audit_reason(ONE), f"audit-reason:{ONE}"),
        (seals.system_secret("audit key"), "system-secret/audit key"),
    ):
        assert name == expected


def test_seals_are_named_in_one_module_only():
    guilty = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if path.name != "seals.py" and re.search(r"\bSeal\(|\.(seal|open)\([^)]*f\"", path.read_text("utf-8"))
    ]
    assert guilty == []


def test_a_template_comes_back_as_it_was():
    assert template_from_plain(plain_template(TEMPLATE)) == TEMPLATE


def test_a_sealed_template_opens_in_its_own_row_only():
    vault, account, customer = Vault(GivenKeys((b"k" * 32,))), new_id(), new_id()
    key = vault.customer_key(vault.new_customer_key(account, customer), account, customer)
    face = sealed_face(key, account, customer, None, FaceOrigin.LIVENESS, None, TEMPLATE)
    assert face.usable
    assert face.sealed_template is not None
    assert opened_template(key, face.face_id, face.sealed_template) == TEMPLATE
    with pytest.raises(CannotOpen):
        opened_template(key, new_id(), face.sealed_template)
