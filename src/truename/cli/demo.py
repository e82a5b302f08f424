"""`truename demo`: a link that opens a fresh transaction of the trial account in the capture page."""

from typing import Annotated

import typer

from truename.api.demo import new_demo
from truename.cli import complain
from truename.cli.running import run, settings_of_command
from truename.cli.welcome import address_of_service
from truename.plumbing.errors import NotFound
from truename.plumbing.settings import Settings
from truename.rules.config import TransactionType
from truename.wiring import wired


def register(app: typer.Typer) -> None:
    """Hang the command on the command line."""
    app.command("demo")(demo)


def demo(
    kind: Annotated[
        TransactionType, typer.Option("--type", help="What is to be captured.")
    ] = TransactionType.DOCUMENT_AND_BIOMETRIC,
    count: Annotated[int, typer.Option(min=1, max=100, help="How many links.")] = 1,
) -> None:
    """Make links that open a fresh transaction each; the service must be running to open them."""
    for link in run(_links(settings_of_command(), kind, count)):
        print(link)


async def _links(settings: Settings, kind: TransactionType, count: int) -> list[str]:
    async with wired(settings) as plumbing:
        try:
            return [address_of_service(settings) + await new_demo(plumbing, kind) for _ in range(count)]
        except NotFound:
            raise complain(
                "There is no trial account here: the first `truename serve` of a new data folder makes one."
            ) from None
