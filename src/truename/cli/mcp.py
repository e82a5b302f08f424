"""`truename mcp`: the tools for an assistant, over standard input and output."""

import asyncio
from typing import Annotated

import typer

from truename.cli.addresses import refuse_plain_http
from truename.cli.running import settings_of_command
from truename.cli.welcome import address_of_service
from truename.mcp.server import assistant_server
from truename.mcp.service import SCOPE, Service


def register(app: typer.Typer) -> None:
    """Hang the command of this module on the command line."""
    app.command("mcp")(serve_assistant)


def serve_assistant(
    client_id: Annotated[str, typer.Option(envvar="CLIENT_ID", help=f"A client with the scope {SCOPE}.")],
    client_secret: Annotated[str, typer.Option(envvar="CLIENT_SECRET", help="Its secret; rather by the environment.")],
    server: Annotated[str | None, typer.Option(help="Address of the service; left out: that of this folder.")] = None,
) -> None:
    """Serve read-only tools for an assistant (MCP over stdio), blind to personal data. Started by the assistant."""
    where = server or address_of_service(settings_of_command())
    refuse_plain_http(where)
    assistant = assistant_server(Service(where.rstrip("/"), client_id, client_secret))
    asyncio.run(assistant.run_stdio_async())
