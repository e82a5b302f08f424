"""What the fuzzer needs and the description must not say."""

from typing import Any

import schemathesis


@schemathesis.hook
def map_headers(_context: Any, headers: dict[str, str] | None) -> dict[str, str] | None:
    """A made-up idempotency key would go with several bodies, and every second request would be refused with 422."""
    return {name: value for name, value in headers.items() if name.lower() != "idempotency-key"} if headers else headers
