"""Is the customer in good standing?"""

from collections.abc import Iterator

from truename.rules.dossier import CustomerStatus, Dossier
from truename.rules.issues import EVERY_TYPE, IssueCode
from truename.rules.results import CheckName, CheckResult, failed, passed

ASKS = (CheckName.CUSTOMER_STATUS,)
APPLIES_TO = EVERY_TYPE

ISSUE = {
    CustomerStatus.SUSPICIOUS: IssueCode.CUSTOMER_SUSPICIOUS,
    CustomerStatus.BLOCKED: IssueCode.CUSTOMER_BLOCKED,
}


def check(dossier: Dossier) -> Iterator[CheckResult]:
    """Fails with CUSTOMER_SUSPICIOUS or CUSTOMER_BLOCKED, by the status at the time of the judgement."""
    code = ISSUE.get(dossier.customer_status)
    yield failed(CheckName.CUSTOMER_STATUS, code, {}) if code else passed(CheckName.CUSTOMER_STATUS)
