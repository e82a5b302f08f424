"""An integrator's program with the generated client: customer, transaction, list. Run in an environment of its own.

python generated_client_story.py BASE_URL CLIENT_ID CLIENT_SECRET
"""

import sys

from generated_client import AuthenticatedClient, Client
from generated_client.api.access import issue_token
from generated_client.api.customers import create_customer
from generated_client.api.transactions import create_transaction, get_transaction, list_transactions
from generated_client.models import (
    BiometricPolicy,
    Config,
    NewCustomer,
    NewTransaction,
    Problem,
    ProblemCode,
    TokenRequest,
    TransactionType,
)

base, client_id, client_secret = sys.argv[1:]
asked = TokenRequest(grant_type="client_credentials", client_id=client_id, client_secret=client_secret)
token = issue_token.sync(client=Client(base), body=asked)
client = AuthenticatedClient(base, token=token.access_token, raise_on_unexpected_status=True)

customer = create_customer.sync(client=client, body=NewCustomer(external_customer_id="generated"))
again = create_customer.sync(client=client, body=NewCustomer(external_customer_id="generated"))
assert isinstance(again, Problem), again
assert again.code == ProblemCode.CUSTOMER_ALREADY_EXISTS
assert again.customer_id == customer.customer_id

rules = Config(transaction_ttl_minutes=5, biometric_policy=BiometricPolicy(liveness_min_score=0.9))
body = NewTransaction(customer.customer_id, TransactionType.DOCUMENT_AND_BIOMETRIC, rules)
opened = create_transaction.sync(client=client, body=body, idempotency_key="generated-1")
replay = create_transaction.sync(client=client, body=body, idempotency_key="generated-1")
assert replay.transaction_id == opened.transaction_id
assert opened.expires_in == 300

whole = get_transaction.sync(opened.transaction_id, client=client)
assert whole.config.biometric_policy.liveness_min_score == 0.9
assert create_transaction.sync(
    client=client, body=NewTransaction(customer.customer_id, whole.transaction_type, whole.config)
)

listed = list_transactions.sync(client=client, customer_id=customer.customer_id, limit=1)
assert listed.has_more
rest = list_transactions.sync(client=client, customer_id=customer.customer_id, cursor=listed.next_cursor)
print(*sorted(str(one.transaction_id) for one in [*listed.data, *rest.data]))
