"""Which documents does this transaction accept?"""

from truename.capture.access import Capture
from truename.capture.answers import AcceptedDocument
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


def shown(row: SupportedDocument) -> AcceptedDocument:
    """A supported document as the session lists it."""
    return AcceptedDocument(country=row.country, type=row.type, sides=["front", "back"] if row.back else ["front"])
