"""`truename review …`: what is true of control cases."""

import json
from typing import Annotated
from uuid import UUID

import typer

from truename.cli.exit_codes import complain
from truename.cli.running import run, settings_of_command
from truename.plumbing.settings import Settings
from truename.reviews.controls import NoSandbox, Truth, say_truth
from truename.wiring import wired

ACTOR = "operator"
ACCOUNTS_OF = "SELECT transaction_id, account_id FROM transactions WHERE transaction_id = ANY(%s)"


def register(app: typer.Typer) -> None:
    """Hang the commands of this module on the command line."""
    review = typer.Typer(no_args_is_help=True)
    review.command("control")(control)
    app.add_typer(review, name="review", help="Reviews: say what is true of control cases.")


def control(
    transactions: Annotated[list[UUID], typer.Argument(help="Transactions of a sandbox account.")],
    truth: Annotated[
        Truth,
        typer.Option(help="Are the faces of document and camera of one person? unknown: no control case any more."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what is true of the faces of cases, so that each reviewer's errors can be counted. Sandboxes only.

    An approval is put among the cases, unmarked. All of them, or none where one cannot be.
    """
    try:
        run(_control(settings_of_command(), list(dict.fromkeys(transactions)), truth))
    except (LookupError, NoSandbox) as reason:
        raise complain(str(reason)) from None
    if as_json:
        print(json.dumps({"truth": truth.value, "transactions": [str(one) for one in dict.fromkeys(transactions)]}))
        return
    print(f"Noted of {len(set(transactions))}: {truth.value}.")


async def _control(settings: Settings, wanted: list[UUID], truth: Truth) -> None:
    async with wired(settings) as plumbing, plumbing.database.system() as connection:
        rows = await (await connection.execute(ACCOUNTS_OF, (wanted,))).fetchall()
        accounts: dict[UUID, UUID] = {row["transaction_id"]: row["account_id"] for row in rows}
        for transaction_id in wanted:
            if transaction_id not in accounts:
                raise LookupError(f"There is no transaction {transaction_id}.")
            await say_truth(connection, accounts[transaction_id], transaction_id, truth, actor=ACTOR)
