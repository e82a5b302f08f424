"""Which pages may show ours in a frame?"""

from starlette.requests import Request


async def ancestors_of(request: Request, account_id: str | None) -> tuple[str, ...]:
    """The origins an account allows to embed the capture page; nobody where the account is not known."""
    del request, account_id
    return ()
