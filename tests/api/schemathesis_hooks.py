"""What the fuzzer needs and the description must not say."""

import os
from typing import Any
from uuid import uuid4

import schemathesis


@schemathesis.hook
def before_call(_context: Any, case: schemathesis.Case, _kwargs: dict[str, Any]) -> None:
    """Take away what would make all further answers say nothing of the description.

    A made-up idempotency key would go with several bodies, and every second request be refused with 422. And it finds
    the ids of clients, and would revoke the one by whose token it calls: from then on all is answered with 401.
    """
    case.headers.pop("Idempotency-Key", None)
    if case.path_parameters.get("client_id") == os.environ["CLIENT_OF_THE_FUZZER"]:
        case.path_parameters["client_id"] = f"client_{uuid4().hex[:24]}"
