"""What the fuzzer needs and the description must not say."""

import json
import os
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import schemathesis

KNOWN: dict[str, list[str]] = json.loads(os.environ["IDS_OF_THE_FUZZER"])
"""Of each parameter of a path, what really is there; of what a DELETE takes away, under the name of its method."""
CALLS = count()


@schemathesis.hook
def before_call(_context: Any, case: schemathesis.Case, _kwargs: dict[str, Any]) -> None:
    """Take away what would make all further answers say nothing of the description.

    A made-up idempotency key would go with several bodies, and every second request be refused with 422. And it finds
    the ids of clients, and would revoke the one by whose token it calls: from then on all is answered with 401.
    """
    case.headers.pop("Idempotency-Key", None)
    name_what_is_there(case)
    if case.path_parameters.get("client_id") == os.environ["CLIENT_OF_THE_FUZZER"]:
        case.path_parameters["client_id"] = f"client_{uuid4().hex[:24]}"


def name_what_is_there(case: schemathesis.Case) -> None:
    """Put a real id in the place of a made-up one, but for every fourth call: else all it could see were 404.

    What is no id at all stays, for it must be refused; and so does what comes from an earlier answer.
    """
    if case.meta is not None and case.meta.phase.name.value == "stateful":
        return
    number = next(CALLS)
    for name, given in case.path_parameters.items():
        there = KNOWN.get(f"{case.method.upper()} {name}", KNOWN.get(name, []))
        try:
            UUID(str(given))
        except ValueError:
            continue
        if there and number % 4:
            case.path_parameters[name] = there[number % len(there)]
