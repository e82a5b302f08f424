"""What can an assistant find out, and what not? Asked over stdio by the `mcp` package's own client."""

import json
import sys

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from tests.support.dossiers import a_device, a_document, a_dossier, a_selfie
from tests.support.judged import a_judged
from tests.support.loopback import serving
from truename.accounts.clients import add_client, revoke_client
from truename.mcp.service import Service, ServiceRefused
from truename.rules.evidence import FacePair
from truename.rules.issues import IssueCode

CANARIES = ("XIMENA", "QUISPE", "ZQ998877", "1971-02-03", "WILHELMINA", "KK112233", '"UY"', "Uruguay")


@pytest.fixture
async def transaction_id(plumbing, an_account):
    dossier = a_dossier(
        document=a_document(
            given_names="XIMENA", surnames="QUISPE", document_number="ZQ998877", date_of_birth="1971-02-03"
        ),
        selfie=a_selfie(age=57.3),
        device=a_device(gps_country="UY"),
        face_similarity={FacePair.DOCUMENT_AND_LIVENESS: 0.62},
        config={
            "document_policy": {
                "data_matching": {
                    "given_names": {"value": "WILHELMINA", "similarity_min_score": 0.9},
                    "document_number": "KK112233",
                }
            }
        },
    )
    return await a_judged(plumbing, an_account, dossier)


async def a_client(plumbing, account, *scopes: str):
    async with plumbing.database.account(account.account_id) as connection:
        return await add_client(connection, account.account_id, list(scopes), name="assistant", actor="test")


async def asked_over_stdio(plumbing, live_server, account, *scopes: str):
    """A client of the `mcp` package, which takes two seconds to load: each worker would spend them."""
    from mcp import StdioServerParameters
    from mcp.client.client import Client
    from mcp.client.stdio import stdio_client

    made = await a_client(plumbing, account, *scopes)
    env = {"CLIENT_ID": made.client.client_id, "CLIENT_SECRET": made.client_secret}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "truename.cli", "mcp", "--server", live_server], env=env
    )
    # Else it takes the stream that stood there when it was loaded, which was another test's, perhaps, and no file.
    return Client(stdio_client(server, errlog=sys.__stderr__ or sys.stderr))


def told(result) -> str:
    return json.dumps([part.model_dump(mode="json") for part in result.content] + [result.structured_content])


@pytest.mark.slow
async def test_an_assistant_explains_and_back_tests_and_learns_nothing_of_the_person(
    plumbing, live_server, an_account, transaction_id
):
    client = await asked_over_stdio(plumbing, live_server, an_account, "explanations:read")
    heard = []
    async with client as assistant:
        tools = (await assistant.list_tools()).tools
        assert {tool.name for tool in tools} == {
            "list_issue_codes",
            "describe_issue_code",
            "config_reference",
            "validate_config",
            "explain_transaction",
            "backtest_policy",
            "get_backtest",
        }
        assert all(tool.annotations and tool.annotations.read_only_hint and tool.description for tool in tools)

        async def ask(name: str, **arguments):
            result = await assistant.call_tool(name, arguments)
            heard.append(told(result))
            return result

        codes = (await ask("list_issue_codes")).structured_content["result"]
        assert [row["code"] for row in codes] == [code.name for code in IssueCode]
        row = (await ask("describe_issue_code", code="LIVENESS_LOW_CONFIDENCE")).structured_content
        assert row["limit_set_by"] == "/biometric_policy/liveness_min_score"
        wrong = await ask("describe_issue_code", code="LIVENES_LOW_CONFIDENCE")
        assert wrong.is_error
        assert "Did you mean LIVENESS_LOW_CONFIDENCE?" in told(wrong)
        fields = {one["pointer"]: one for one in (await ask("config_reference")).structured_content["result"]}
        assert fields["/biometric_policy/liveness_min_score"]["rules"]["maximum"] == 1.0
        assert fields["/biometric_policy/liveness_min_score"]["default"] == 0.85
        assert "/document_policy/document_eligibility/target_documents/0/allow_expired" in fields
        assert (await ask("validate_config", config={})).structured_content == {"valid": True, "faults": []}
        faults = (await ask("validate_config", config={"device_policy": {"on_emulatr": 1}})).structured_content
        assert faults["faults"][0]["pointer"] == "/device_policy/on_emulatr"

        why = (await ask("explain_transaction", transaction_id=str(transaction_id))).structured_content
        assert why["sentence"].startswith("Rejected: ")
        assert why["what_if"]
        policy = {"biometric_policy": {"face_comparison_min_score": 0.6}}
        tried = (await ask("backtest_policy", config=policy)).structured_content
        assert (tried["status"], tried["result"]["decisions"]["judged"]) == ("DONE", 1)
        again = (await ask("get_backtest", backtest_id=tried["backtest_id"])).structured_content
        assert again["result"] == tried["result"]
        assert (await ask("backtest_policy", config={"nonsense": 1})).is_error
        unknown = await ask("explain_transaction", transaction_id=str(an_account.account_id))
        assert "No transaction of this account" in told(unknown)
    assert [canary for canary in CANARIES if canary in " ".join(heard)] == []


async def test_a_kept_token_is_renewed_once_and_a_revoked_client_is_told_so(
    plumbing, live_server, an_account, transaction_id
):
    made = await a_client(plumbing, an_account, "explanations:read")
    service = Service(live_server, made.client.client_id, made.client_secret)
    assert (await service.explanation(transaction_id)).sentence
    service._token = "no.longer.good"  # as after a restore of the database: the keys are others
    assert (await service.explanation(transaction_id)).sentence
    async with plumbing.database.account(an_account.account_id) as connection:
        await revoke_client(connection, an_account.account_id, made.client.client_id, actor="test")
    with pytest.raises(ServiceRefused, match=r"not known, or its secret is wrong.*revoked"):
        await service.explanation(transaction_id)
    async with serving(Starlette(routes=[Route("/oauth/token", lambda _: Response("<html>"), methods=["POST"])])) as at:
        with pytest.raises(ServiceRefused, match="is no Truename"):
            await Service(at, "client_x", "secret").explanation(transaction_id)


@pytest.mark.slow
async def test_a_client_that_may_do_more_still_asks_for_no_more(plumbing, live_server, an_account, transaction_id):
    """And one without the scope is told so, in words."""
    client = await asked_over_stdio(plumbing, live_server, an_account, "transactions:read", "media:read")
    async with client as assistant:
        refused = await assistant.call_tool("explain_transaction", {"transaction_id": str(transaction_id)})
        assert refused.is_error
        assert "explanations:read" in told(refused)
