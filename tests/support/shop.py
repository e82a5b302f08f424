"""A shop that sends people links to the capture page: it knows the service's address and its own credentials only."""

from typing import Any

import aiohttp

from tests.support.api import KYC
from tests.support.links import NO_SUSPICION, PASSPORT_ONLY
from tests.support.sdk import Phone, photographed
from truename.plumbing.database.ids import new_id
from truename.sandbox.drawing.documents import passport


class Shop:
    """Opens transactions by HTTP and hands their tokens to a person's device."""

    def __init__(self, http: aiohttp.ClientSession, access_token: str) -> None:
        self.http, self.headers = http, {"Authorization": f"Bearer {access_token}"}

    @classmethod
    async def signed_in(cls, http: aiohttp.ClientSession, client_id: str, client_secret: str) -> "Shop":
        given = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
        async with http.post("/oauth/token", data=given) as answer:
            assert answer.status == 200, await answer.text()
            return cls(http, (await answer.json())["access_token"])

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self.http.post(f"{KYC}{path}", json=body, headers=self.headers) as answer:
            assert answer.status in (200, 201), await answer.text()
            return dict(await answer.json())

    async def opened(self, kind: str = "DOCUMENT_AND_BIOMETRIC", **config: Any) -> dict[str, Any]:
        """A transaction of a new customer, as the service answers it."""
        customer = await self.post("/customer", {"external_customer_id": str(new_id())})
        if kind == "BIOMETRIC_ONLY":
            config.pop("document_policy", None)
        body = {"customer_id": customer["customer_id"], "transaction_type": kind}
        return await self.post("/transaction", {**body, "config": {"device_policy": NO_SUSPICION, **config}})

    async def link(self, kind: str = "DOCUMENT_AND_BIOMETRIC", **config: Any) -> Phone:
        """A person's device with a fresh token."""
        return Phone(self.http, (await self.opened(kind, **config))["sdk_token"])

    async def agreed(self, kind: str = "DOCUMENT_AND_BIOMETRIC", **config: Any) -> Phone:
        """The person has agreed, and the device has reported itself."""
        phone = await self.link(kind, **config)
        assert (await phone.consent())[0] == 200
        assert (await phone.device())[0] == 204
        return phone

    async def with_passport(self) -> Phone:
        """A document alone, photographed and not yet submitted."""
        phone = await self.agreed("DOCUMENT_ONLY", document_policy=PASSPORT_ONLY)
        chosen = {"country": "DE", "type": "PASSPORT"}
        status, answer = await phone.document("front", photographed(passport().front), params=chosen)
        assert status == 200, answer
        return phone

    async def cancelled(self) -> Phone:
        made = await self.opened()
        await self.post(f"/transaction/{made['transaction_id']}/cancel", {})
        return Phone(self.http, made["sdk_token"])
