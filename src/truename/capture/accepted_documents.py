"""Which documents does this transaction accept?"""

from typing import Any

from truename.capture.access import Capture
from truename.rules.config import FilterMode
from truename.rules.documents import SupportedDocument, supported


def accepted_documents(capture: Capture) -> list[SupportedDocument]:
    """The supported documents that the eligibility rule leaves; none when no document is called for."""
    if not capture.transaction_type.has_document:
        return []
    rule = capture.config.document_policy.document_eligibility
    if rule is None:
        return list(supported())
    listed = {(target.country, target.type) for target in rule.target_documents}
    wanted = rule.filter_mode is FilterMode.ALLOW
    return [row for row in supported() if ((row.country, row.type) in listed) is wanted]


def shown(row: SupportedDocument) -> dict[str, Any]:
    return {"country": row.country, "type": row.type, "sides": ["front", "back"] if row.back else ["front"]}
