"""Settings: what the account decides for itself, with who changed it; clients, the webhook secret, operators."""

from typing import Final

from pydantic import ValidationError
from starlette.responses import Response

from truename.accounts import clients
from truename.accounts.change import change_account, last_changes
from truename.accounts.model import SCOPE_MEANINGS, USUAL_SCOPES
from truename.accounts.webhook_secrets import list_secrets
from truename.dashboard.guard import Screen
from truename.dashboard.people import called
from truename.dashboard.setting_forms import GROUPS, sent_changes, shown_groups
from truename.dashboard.visit import Notice, Visit
from truename.operators.model import ROLE_MEANINGS, Role
from truename.operators.store import list_members
from truename.plumbing.errors import Invalid, NotFound
from truename.privacy.forecast import due_soon

PATH: Final = "/dashboard/settings"


async def show_settings(visit: Visit) -> Response:
    """Everything on one page, with an index."""
    return await settings_page(visit)


async def settings_page(visit: Visit, status: int = 200, fault: str = "", at: str = "") -> Response:
    """The page, with what was wrong beside the part that was sent."""
    async with visit.connection() as connection:
        changes = await last_changes(connection, visit.account_id)
        listed = await clients.list_clients(connection, visit.account_id)
        secrets = await list_secrets(connection, visit.account_id)
        days = visit.settings.retention_days
        due = await due_soon(connection, visit.account_id, days) if days else []
    async with visit.plumbing.database.system() as connection:
        members = await list_members(connection, visit.account_id)
    return visit.page(
        "settings.html",
        status,
        groups=shown_groups(visit.settings, changes),
        people=await called(visit.plumbing, [one.actor for one in changes.values()]),
        clients=listed,
        secrets=secrets,
        scopes=SCOPE_MEANINGS,
        usual=USUAL_SCOPES,
        due=due,
        members=members,
        roles=ROLE_MEANINGS,
        fault=fault,
        at=at,
    )


async def post_group(visit: Visit) -> Response:
    """Change the settings of one group."""
    name = visit.request.path_params["group"]
    group = next((one for one in GROUPS if one.name == name), None)
    if group is None:
        raise NotFound
    try:
        changes = sent_changes(group, visit.form)
        async with visit.connection() as connection:
            await change_account(connection, visit.account_id, changes, actor=visit.actor)
    except Invalid as refused:
        return await settings_page(visit, 400, refused.detail, group.name)
    except ValidationError as refused:
        return await settings_page(visit, 400, _sentences(refused), group.name)
    return visit.redirect(f"{PATH}#{group.name}", Notice.SAVED)


def _sentences(error: ValidationError) -> str:
    parts = []
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        words = fault["msg"].removeprefix("Value error, ")
        parts.append(f"{str(fault['loc'][0]).replace('_', ' ')}: {words[:1].lower()}{words[1:]}")
    return "; ".join(parts) + ". Nothing was changed."


screens: Final = (
    Screen("GET", PATH, show_settings, Role.ADMIN),
    Screen("POST", PATH + "/{group}", post_group, Role.ADMIN),
)
