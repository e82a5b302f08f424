"""Do the sandbox and its description agree on which simulations are valid?"""

import json
from random import Random

from tests.support.api import a_transaction
from tests.support.description import validator
from tests.support.schema_requests import Maker
from tests.support.simulations import TEST

ASKED = 160


async def test_a_simulation_is_refused_if_and_only_if_the_description_says_so(sandbox_client):
    description = await (await sandbox_client.get("/openapi.json")).json()
    maker, schemas = Maker(description, Random(8)), description["components"]["schemas"]
    schema = schemas["Simulation"]
    fits = validator(description, schema)
    found, counted = [], {True: 0, False: 0}
    while sum(counted.values()) < ASKED:
        number = sum(counted.values())
        body = maker.value(schema, 0.0 if number % 2 == 0 else 0.25)
        if isinstance(body, dict):
            body.pop("scenario", None)  # which names there are stands in the list, not in the schema
        valid = fits.is_valid(body)
        if valid is not (number % 2 == 0):
            continue
        counted[valid] += 1
        if number % 8 == 0:
            made = await a_transaction(sandbox_client)
        path = f"{TEST}/transaction/{made['transaction_id']}/simulate"
        text = json.dumps(body, ensure_ascii=False).encode()
        async with sandbox_client.post(path, data=text, headers={"Content-Type": "application/json"}) as answer:
            told = await answer.text()
            if answer.status not in (200, 400, 409) or (answer.status == 400) is valid:
                found.append(f"valid={valid} {body!r} -> {answer.status} {told[:300]}")
    assert found == []
