"""Everything the SDK needs to know, and how far the person has come."""

from typing import Any, Final

from psycopg.rows import DictRow

from truename.accounts.model import AccountSettings
from truename.capture import store
from truename.capture.accepted_documents import accepted_documents, shown
from truename.capture.access import Capture
from truename.capture.caps import attempts_left
from truename.capture.challenge import CHALLENGE_SECONDS, FRAME_MAX_PX, FRAMES_MAX, FRAMES_MIN
from truename.capture.model import CONSENT_VERSIONS
from truename.plumbing.database.pool import Connection
from truename.plumbing.http.answers import instant
from truename.rules.config import Action

CONSENT_VERSION: Final = CONSENT_VERSIONS[-1]
IMAGE_BYTES: Final = 12 * 1024 * 1024


async def describe_session(connection: Connection, capture: Capture) -> dict[str, Any]:
    account = AccountSettings.model_validate(capture.account_settings)
    consent = await store.consent_of(connection, capture)
    takes = await store.captures_of(connection, capture.account_id, capture.transaction_id)
    front, live = takes.get("DOCUMENT_FRONT"), takes.get("LIVENESS")
    has_document, has_selfie = capture.transaction_type.has_document, capture.transaction_type.has_selfie
    return {
        "transaction_id": capture.transaction_id,
        "transaction_type": capture.transaction_type,
        "status": "IN_PROGRESS",
        "now": instant(capture.now),
        "expires_at": instant(capture.expires_at),
        "account": {"name": capture.account_name},
        "steps": ["CONSENT", *(["DOCUMENT"] if has_document else []), *(["LIVENESS"] if has_selfie else [])],
        "consent": {
            "given": consent["given"] if consent else None,
            "text_version": CONSENT_VERSION,
            "retention_days": account.retention_days,
            "privacy_url": account.privacy_url,
        },
        "documents": [shown(row) for row in accepted_documents(capture)],
        "progress": {
            "document": {
                "country": front["chosen"].get("country") if front else None,
                "type": front["chosen"].get("type") if front else None,
                "back_needed": front["back_needed"] if front else None,
                "front": _take(front),
                "back": _take(takes.get("DOCUMENT_BACK")),
            },
            "liveness": {
                "done": bool(live and live["usable"]),
                "attempts_left": await attempts_left(connection, capture) if has_selfie else 0,
            },
            "device": await store.device_reported(connection, capture),
        },
        "liveness": {
            "challenge_seconds": CHALLENGE_SECONDS,
            "frames_min": FRAMES_MIN,
            "frames_max": FRAMES_MAX,
            "frame_max_px": FRAME_MAX_PX,
        },
        "limits": {"image_bytes": IMAGE_BYTES, "image_types": ["image/jpeg", "image/png"], "takes": store.TAKES_MAX},
        "file_upload": account.file_upload,
        "handoff": account.handoff,
        "wants_location": _wants_location(capture),
        "language": account.language,
        "return": {"origins": list(account.capture_origins), "url": account.return_url},
        "demo": account.trial,
    }


def _take(row: DictRow | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {"usable": row["usable"], "reasons": row["reasons"], "takes_left": max(0, store.TAKES_MAX - row["takes"])}


def _wants_location(capture: Capture) -> bool:
    """Permission is asked for only when a policy would act on the place."""
    policy = capture.config.device_policy
    return any(
        action is not Action.IGNORE for action in (policy.on_gps_mock_location, policy.on_gps_ip_location_mismatch)
    )
