"""Read what a form sent, and refuse what another site made a browser send."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request

from truename.plumbing.errors import Invalid, WrongSite
from truename.plumbing.http.json_body import read_bounded
from truename.plumbing.settings import Settings

MAX_BODY: Final = 256 * 1024
MOST_FIELDS: Final = 1000
"""Two hundred rows may be ticked on a page; of a hundred thousand nameless fields a stranger could make one form."""
FIELD: Final = "csrf"
HEADER: Final = "x-csrf-token"
TYPE: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Form:
    """The fields of a form; one that was not sent is an empty text."""

    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def text(self, name: str, longest: int = 10_000) -> str:
        """The field without the spaces around it; refuses one that is longer than anybody types."""
        value = (self.fields.get(name) or ("",))[0].strip()
        if len(value) > longest:
            raise Invalid(detail=f"{name} may have at most {longest} characters.")
        return value

    def secret(self, name: str) -> str:
        """The field exactly as it was typed."""
        return (self.fields.get(name) or ("",))[0]

    def texts(self, name: str) -> list[str]:
        """Every value of a field that may be ticked several times."""
        return [value.strip() for value in self.fields.get(name, ())]

    def ticked(self, name: str) -> bool:
        """Is the box ticked?"""
        return bool(self.fields.get(name))


async def read_form(request: Request) -> Form:
    """The fields of the body; refuses what is no form."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in (TYPE, ""):
        raise Invalid(detail=f"Send the body as {TYPE}.")
    body = await read_bounded(request, MAX_BODY)
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise Invalid(detail="The body is not a form.") from None
    if any("\x00" in value for _, value in pairs):
        raise Invalid(detail="A field holds a character that no text has.")
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return Form({name: tuple(values) for name, values in fields.items()})


def csrf_token(secret: str) -> str:
    """The token that a form of this session must carry; it is made from the cookie's secret and does not reveal it."""
    return hmac.new(secret.encode(), b"truename form", hashlib.sha256).hexdigest()


def refuse_other_sites(request: Request, settings: Settings, form: Form, secret: str | None) -> None:
    """Refuse a change that our own page did not send, by what the browser says of its origin, and by the token."""
    site = request.headers.get("sec-fetch-site")
    if site is not None and site != "same-origin":
        raise WrongSite
    origin = request.headers.get("origin")
    # Our pages send no referrer, so that browsers say "null" of a form's origin; then only they vouch for the site.
    vouched = origin == "null" and site == "same-origin"
    if origin is not None and not vouched and not _is_ours(origin, request, settings):
        raise WrongSite
    sent = request.headers.get(HEADER) or form.secret(FIELD)
    if secret is None or not hmac.compare_digest(sent.encode(), csrf_token(secret).encode()):
        raise WrongSite("The page was too old, or you have signed in or changed the account since. Load it again.")


def _is_ours(origin: str, request: Request, settings: Settings) -> bool:
    if origin == settings.base_url:
        return True
    return settings.public_url is None and urlsplit(origin).netloc == request.headers.get("host")
