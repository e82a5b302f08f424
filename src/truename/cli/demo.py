"""`truename demo`: a link that opens a fresh transaction of the trial account in the capture page."""

import json
from typing import Annotated

import typer

from truename.api.demo import new_demo
from truename.cli.exit_codes import ExitCode, complain
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make links that open a fresh transaction each; the service must be running to open them."""
    links = run(_links(settings_of_command(), kind, count))
    print(json.dumps(links) if as_json else "\n".join(links))


async def _links(settings: Settings, kind: TransactionType, count: int) -> list[str]:
    # The tokens name who issued them: it must be the running service, whose port may not be the default one.
    running = settings.model_copy(update={"public_url": address_of_service(settings)})
    async with wired(running) as plumbing:
        try:
            return [running.base_url + await new_demo(plumbing, kind) for _ in range(count)]
        except NotFound:
            raise complain(
                "There is no trial account here: the first `truename serve` of a new data folder makes one.",
                code=ExitCode.CONFIGURATION,
            ) from None
