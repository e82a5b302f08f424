"""Does the OpenAPI description tell the truth? schemathesis asks thousands of times, with every check on."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.support.cases import a_case
from tests.support.loopback import serving
from tests.support.transactions import a_customer, a_transaction
from tests.support.waiting import free_port
from truename.accounts.model import SCOPES, NewAccount
from truename.accounts.tokens import issue_access_token
from truename.api.app import create_app
from truename.plumbing.resources import Plumbing

CONFIG = Path(__file__).with_name("schemathesis.toml")
ROOT = Path(__file__).parents[2]


async def what_is_there(plumbing: Plumbing, account: NewAccount) -> dict[str, list[str]]:
    """Customers and transactions in several states, with their pictures; some customers are there to be erased."""
    cases = [await a_case(plumbing, account) for _ in range(2)]
    fresh = await a_transaction(plumbing, account, await a_customer(plumbing, account))
    async with plumbing.database.account(account.account_id) as connection:
        customers = await connection.execute(
            "SELECT customer_id FROM transactions WHERE transaction_id = ANY(%s)", (cases,)
        )
        media = await connection.execute("SELECT media_id FROM media WHERE transaction_id = %s", (cases[0],))
        owners, pictures = await customers.fetchall(), await media.fetchall()
    return {
        "transaction_id": [str(one) for one in (*cases, fresh)],
        "customer_id": [str(row["customer_id"]) for row in owners],
        "media_id": [str(row["media_id"]) for row in pictures],
        "DELETE customer_id": [str(await a_customer(plumbing, account)) for _ in range(4)],
    }


@pytest.mark.slow
async def test_the_description_and_the_service_agree(plumbing: Plumbing, a_sandbox: NewAccount, tmp_path: Path) -> None:
    port = free_port()
    patient = plumbing.settings.model_copy(
        update={"client_requests_per_minute": 10**7, "client_burst": 10**6, "port": port}
    )
    app = create_app(Plumbing(patient, plumbing.database, plumbing.objects, plumbing.vault))
    own = a_sandbox.account_id, a_sandbox.client_id
    token = await issue_access_token(app.state.plumbing, *own, SCOPES, livemode=False)
    command = [
        *(str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(CONFIG), "run"),
        *(f"http://127.0.0.1:{port}/openapi.json", "--checks", "all", "-H", f"Authorization: Bearer {token}"),
        *("--max-examples", "4", "--seed", "7"),
        # With an access token the SDK answers 401 to everything; test_agreement.py asks it with its own token.
        *("--exclude-tag", "SDK"),
    ]
    known = json.dumps(await what_is_there(plumbing, a_sandbox))
    async with serving(app, port):
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=tmp_path,
            env={
                **os.environ,
                "NO_COLOR": "1",
                "PYTHONPATH": str(ROOT),
                "SCHEMATHESIS_HOOKS": "tests.api.schemathesis_hooks",
                "CLIENT_OF_THE_FUZZER": str(a_sandbox.client_id),
                "IDS_OF_THE_FUZZER": known,
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
    told = output.decode()
    assert process.returncode == 0, told.partition("= FAILURES =")[2][:8000]
    refused = re.search(r"(\d+) operations? returned only 401", told)
    assert refused is None or refused[1] == "1", "nobody but /oauth/token, of which it knows no secret"
