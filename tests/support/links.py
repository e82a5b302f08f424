"""A person's link to the capture page, on the real service, and what may happen to it meanwhile."""

import secrets
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import aiohttp

from tests.support.sdk import Phone, photographed
from tests.support.transactions import a_customer, a_transaction, expire_now, submitted
from truename.accounts.create import create_account
from truename.accounts.model import SCOPES, AccountSettings, NewAccount
from truename.accounts.tokens import issue_access_token, issue_sdk_token
from truename.plumbing.jobs.worker import run_pending
from truename.plumbing.resources import Plumbing
from truename.sandbox.drawing.documents import id_card, passport
from truename.transactions.cancel import cancel
from truename.wiring import load_jobs

# A driven browser says so (navigator.webdriver), and no place is asked for here.
NO_SUSPICION = dict.fromkeys(
    (
        "on_compromised_device",
        "on_developer_mode",
        "on_emulator",
        "on_vpn_or_proxy",
        "on_gps_mock_location",
        "on_gps_ip_location_mismatch",
    ),
    "IGNORE",
)


def only(*documents: tuple[str, str]) -> dict[str, Any]:
    """A config's document policy that accepts nothing but these: (country, type)."""
    listed = [{"country": country, "type": kind, "allow_expired": True} for country, kind in documents]
    return {"document_eligibility": {"filter_mode": "ALLOW", "target_documents": listed}}


PASSPORT_ONLY = only(("DE", "PASSPORT"))
CARD_ONLY = only(("DE", "NATIONAL_ID"))


@dataclass
class Link:
    """One transaction's link, the person's other device (`phone`), and the integrator's hand on it."""

    plumbing: Plumbing
    account: NewAccount
    transaction_id: UUID
    phone: Phone

    @property
    def fragment(self) -> str:
        return f"t={self.phone.token}"

    async def agreed(self) -> "Link":
        """The person has agreed already, on some device that has reported itself."""
        status, answer = await self.phone.consent()
        assert status == 200, answer
        status, answer = await self.phone.device()
        assert status == 204, answer
        return self

    async def with_passport(self) -> "Link":
        """And has photographed a passport."""
        return await self._with("front", photographed(passport().front), "PASSPORT")

    async def with_card(self) -> "Link":
        """And has photographed the front of a card."""
        return await self._with("front", photographed(id_card().front), "NATIONAL_ID")

    async def _with(self, side: str, picture: Any, kind: str) -> "Link":
        status, answer = await self.phone.document(side, picture, params={"country": "DE", "type": kind})
        assert status == 200, answer
        assert answer["usable"], answer
        return self

    async def expire(self, seconds: float = 0) -> None:
        """Let the time run out, now or so many seconds from now."""
        await expire_now(self.plumbing, self.account, self.transaction_id, -seconds)

    async def cancel(self) -> None:
        async with self.plumbing.database.account(self.account.account_id) as connection:
            await cancel(connection, self.account.account_id, self.transaction_id)

    async def submit_elsewhere(self) -> None:
        await submitted(self.plumbing, self.account, self.transaction_id)

    async def result(self) -> dict[str, Any]:
        """Let the analysis run, then read what the integrator reads."""
        load_jobs()
        await run_pending(self.plumbing)
        account = self.account
        token = await issue_access_token(self.plumbing, account.account_id, account.client_id, SCOPES)
        path = f"/api/account/integration/kyc/transaction/{self.transaction_id}"
        async with self.phone.http.get(path, headers={"Authorization": f"Bearer {token}"}) as answer:
            assert answer.status == 200, await answer.text()
            return dict(await answer.json())

    async def try_face(self, times: int) -> None:
        """Let the face have been tried so often."""
        async with self.plumbing.database.account(self.account.account_id) as connection:
            await connection.execute(
                """
                INSERT INTO biometric_attempts (attempt_id, account_id, customer_id, transaction_id, at)
                SELECT gen_random_uuid(), account_id, customer_id, transaction_id, clock_timestamp()
                FROM transactions, generate_series(1, %s) WHERE transaction_id = %s
                """,
                (times, self.transaction_id),
            )

    async def expire_handoff(self) -> None:
        """Let the code that the computer shows grow too old."""
        async with self.plumbing.database.account(self.account.account_id) as connection:
            await connection.execute(
                "UPDATE handoffs SET expires_at = clock_timestamp() - interval '1 second' WHERE transaction_id = %s",
                (self.transaction_id,),
            )


async def a_link(
    plumbing: Plumbing,
    http: aiohttp.ClientSession,
    kind: str = "DOCUMENT_AND_BIOMETRIC",
    *,
    name: str | None = None,
    account: NewAccount | None = None,
    document_policy: dict[str, Any] | None = None,
    **settings: Any,
) -> Link:
    """A fresh link; `settings` are those of the account that sends it."""
    if account is None:
        chosen = AccountSettings(**{"retention_days": 90, **settings})
        account = await create_account(plumbing, name or f"Acme Bank {secrets.token_hex(4)}", settings=chosen)
    config: dict[str, Any] = {"device_policy": NO_SUSPICION}
    if document_policy is not None and kind != "BIOMETRIC_ONLY":
        config["document_policy"] = document_policy
    customer = await a_customer(plumbing, account)
    transaction = await a_transaction(plumbing, account, customer, kind, config)
    async with plumbing.database.account(account.account_id) as connection:
        cursor = await connection.execute(
            "SELECT expires_at FROM transactions WHERE transaction_id = %s", (transaction,)
        )
        row = await cursor.fetchone()
    assert row is not None
    token = await issue_sdk_token(plumbing, account.account_id, transaction, row["expires_at"])
    return Link(plumbing, account, transaction, Phone(http, token))
