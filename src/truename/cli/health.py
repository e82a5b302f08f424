"""`truename healthcheck`: does a running service answer? A container has no curl to ask with."""

import http.client
import urllib.error
import urllib.request
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from truename.cli.exit_codes import ExitCode, complain
from truename.cli.running import settings_of_command

PATIENCE_SECONDS: Final = 4.0


def register(app: typer.Typer) -> None:
    """Hang the command of this module on the command line."""
    app.command("healthcheck")(healthcheck)


def healthcheck(
    url: Annotated[
        str | None, typer.Option(help="What to ask; default: /readyz of the service on this machine's own port.")
    ] = None,
) -> None:
    """Ask a running service whether it can work. Exit status 4 if it does not answer or is not ready."""
    asked = url or f"http://127.0.0.1:{settings_of_command().port}/readyz"
    if not asked.startswith(("http://", "https://")):
        raise complain("--url: give an address that starts with http:// or https://.")
    try:
        if urlsplit(asked).port == 0:  # which also refuses what is no port; the library only calls it refused
            raise ValueError("Port out of range 1-65535")
        with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310  # nosec B310 - checked above
            print(f"{asked} answers {answer.status}.")
    except urllib.error.HTTPError as error:
        raise complain(f"{asked} answers {error.code}.", code=ExitCode.NOT_REACHABLE) from None
    except (http.client.InvalidURL, ValueError) as error:
        raise complain(f"--url: {asked} is no address: {error}.") from None
    except (OSError, http.client.HTTPException) as error:
        raise complain(f"{asked} does not answer: {error}.", code=ExitCode.NOT_REACHABLE) from None
