"""The tools, and nothing else: no resource, no prompt, no way to change anything."""

import asyncio
import time
from collections.abc import Awaitable
from typing import Annotated, Final, TypeVar
from uuid import UUID

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field, JsonValue

from truename import __version__
from truename.backtest.model import BacktestStatus, ShownBacktest
from truename.backtest.policy import Mode
from truename.mcp import reference
from truename.mcp.reference import CodeTold, ConfigChecked, ConfigField
from truename.mcp.service import Service, ServiceRefused
from truename.plumbing.clock import date_at_utc_plus_14, now
from truename.rules.config import TransactionType
from truename.transactions.explanation_answers import ShownExplanation

INSTRUCTIONS: Final = (
    "Truename verifies identities. Its engine decides by rules: facts go in, checks find issues, the config sets how "
    "grave each is, and a transaction is REJECTED if at least one issue is a rejection. These tools explain decisions "
    "and try policies on stored transactions. They never show personal data, and nothing can be changed with them."
)
READ_ONLY: Final = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)
LONGEST_WAIT: Final = 45.0
"""A back-test that takes longer is read later by its id."""
PAUSE: Final = 0.5
TransactionId = Annotated[UUID, Field(description="The transaction_id, a UUID.")]
Moment = Annotated[str | None, Field(description="RFC 3339 with its offset, for example 2026-11-01T00:00:00Z.")]
Result = TypeVar("Result")


def assistant_server(service: Service) -> MCPServer[None]:
    """The server for one service."""
    server: MCPServer[None] = MCPServer("truename", version=__version__, instructions=INSTRUCTIONS)

    @server.tool(annotations=READ_ONLY)
    def list_issue_codes() -> list[CodeTold]:
        """Every issue code that the analysis can emit: what it means, its severity, and which config field sets it."""
        return reference.issue_codes()

    @server.tool(annotations=READ_ONLY)
    def describe_issue_code(code: Annotated[str, Field(description="For example EXPIRED_DOCUMENT.")]) -> CodeTold:
        """One issue code: what it means, its severity, and which config fields set severity and limit."""
        try:
            return reference.told_code(reference.find_code(code))
        except LookupError as unknown:
            raise ToolError(str(unknown.args[0])) from None

    @server.tool(annotations=READ_ONLY)
    def config_reference() -> list[ConfigField]:
        """Every field of a transaction's config, by JSON pointer: type, range, default and meaning."""
        return reference.config_fields()

    @server.tool(annotations=READ_ONLY)
    def validate_config(config: dict[str, JsonValue]) -> ConfigChecked:
        """Whether a config would be accepted at the creation of a transaction, with every fault and its pointer."""
        return reference.check_config(config, date_at_utc_plus_14(now()))

    @server.tool(annotations=READ_ONLY)
    async def explain_transaction(transaction_id: TransactionId) -> ShownExplanation:
        """Why a transaction was decided so: sentence, issues with measured value and limit, checks that did not run,
        and what would have changed the decision. Without personal data."""
        return await _asked(service.explanation(transaction_id))

    @server.tool(annotations=READ_ONLY)
    async def backtest_policy(
        ctx: Context[None, object],
        config: Annotated[
            dict[str, JsonValue],
            Field(description="The other policy; data_matching and document_eligibility may not be in it."),
        ],
        mode: Annotated[
            Mode, Field(description="CHANGE: only these fields. REPLACE: defaults for all others.")
        ] = Mode.CHANGE,
        since: Moment = None,
        until: Moment = None,
        transaction_type: TransactionType | None = None,
    ) -> ShownBacktest:
        """Judge stored transactions again under another policy: how many decisions flip, which, and by which codes.
        If it takes long, the answer is not DONE: read it later with get_backtest."""
        said = {"since": since, "until": until, "transaction_type": transaction_type}
        body: dict[str, object] = {"config": config, "mode": mode.value}
        body |= {name: value for name, value in said.items() if value is not None}
        found = await _asked(service.start_backtest(body))
        deadline = time.monotonic() + LONGEST_WAIT
        while found.status in (BacktestStatus.QUEUED, BacktestStatus.RUNNING) and time.monotonic() < deadline:
            await ctx.report_progress(found.done, found.total)
            await asyncio.sleep(PAUSE)
            found = await _asked(service.backtest(found.backtest_id))
        return found

    @server.tool(annotations=READ_ONLY)
    async def get_backtest(backtest_id: Annotated[UUID, Field(description="From backtest_policy.")]) -> ShownBacktest:
        """How far a back-test is and, once its status is DONE, its result."""
        return await _asked(service.backtest(backtest_id))

    return server


async def _asked(call: Awaitable[Result]) -> Result:
    try:
        return await call
    except ServiceRefused as refused:
        raise ToolError(str(refused)) from None
