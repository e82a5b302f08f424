"""Settings: what the account decides for itself, with who changed it; clients, the webhook secret, operators."""

from typing import Final

from pydantic import ValidationError
from starlette.responses import Response

from truename.accounts import clients
from truename.accounts.change import FaceSearchUnavailable, change_account, last_changes
from truename.accounts.model import LANGUAGES, LONGEST_TEXT, SCOPE_MEANINGS, USUAL_SCOPES
from truename.accounts.webhook_secrets import list_secrets
from truename.dashboard.guard import Screen
from truename.dashboard.people import called
from truename.dashboard.setting_forms import GROUPS, sent_changes, shown_groups
from truename.dashboard.setting_policy import policy_fields, sent_policy
from truename.dashboard.visit import Notice, Visit
from truename.operators.model import ROLE_MEANINGS, Role
from truename.operators.store import list_members
from truename.plumbing.clock import now
from truename.plumbing.errors import Invalid, NotFound
from truename.privacy.forecast import due_soon
from truename.transactions.default_policy import (
    LONGEST_NOTE,
    PolicyState,
    draft_policy,
    list_policies,
    policy_in_force,
)

PATH: Final = "/dashboard/settings"
LANGUAGE_NAMES: Final = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "ar": "Arabic",
}


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
        policies = await list_policies(connection, visit.account_id)
        in_force = await policy_in_force(connection, visit.account_id)
    fields = policy_fields(in_force, policies, now())
    async with visit.plumbing.database.system() as connection:
        members = await list_members(connection, visit.account_id)
    return visit.page(
        "settings.html",
        status,
        groups=shown_groups(visit.settings, changes),
        people=await called(
            visit.plumbing,
            [
                *(one.actor for one in changes.values()),
                *(who for one in fields if one.changed for who in (one.changed.drafted_by, one.changed.agreed_by)),
            ],
        ),
        policy_fields=fields,
        in_force=in_force,
        drafts=sum(one.state is PolicyState.DRAFT for one in policies),
        texts_changed=changes.get("capture_texts"),
        languages=LANGUAGE_NAMES,
        longest_text=LONGEST_TEXT,
        longest_note=LONGEST_NOTE,
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
    except FaceSearchUnavailable as refused:
        return await settings_page(visit, 400, str(refused), group.name)
    except ValidationError as refused:
        return await settings_page(visit, 400, _sentences(refused), group.name)
    return visit.redirect(f"{PATH}#{group.name}", Notice.SAVED)


async def post_policy(visit: Visit) -> Response:
    """Draft another default policy: it holds once it was agreed to."""
    try:
        policy = sent_policy(visit.form)
    except Invalid as refused:
        return await settings_page(visit, 400, refused.detail, "policy")
    async with visit.connection() as connection:
        note = visit.form.text("note", LONGEST_NOTE)
        await draft_policy(connection, visit.account_id, policy, note, actor=visit.actor)
    return visit.redirect("/dashboard/lab/policies", Notice.POLICY_DRAFTED)


async def post_texts(visit: Visit) -> Response:
    """What the capture page says of the account's own, in each language."""
    sent: dict[str, dict[str, str | None]] = {}
    for language in LANGUAGES:
        own = {place: visit.form.text(f"{language}_{place}", 2000) or None for place in ("welcome", "done")}
        if any(own.values()):
            sent[language] = own
    try:
        async with visit.connection() as connection:
            await change_account(connection, visit.account_id, {"capture_texts": sent}, actor=visit.actor)
    except ValidationError as refused:
        return await settings_page(visit, 400, _sentences(refused), "texts")
    return visit.redirect(f"{PATH}#texts", Notice.SAVED)


def _sentences(error: ValidationError) -> str:
    parts = []
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        words = fault["msg"].removeprefix("Value error, ")
        parts.append(f"{str(fault['loc'][0]).replace('_', ' ')}: {words[:1].lower()}{words[1:]}")
    return "; ".join(parts) + ". Nothing was changed."


screens: Final = (
    Screen("GET", PATH, show_settings, Role.ADMIN),
    Screen("POST", PATH + "/policy", post_policy, Role.ADMIN),
    Screen("POST", PATH + "/texts", post_texts, Role.ADMIN),
    Screen("POST", PATH + "/{group}", post_group, Role.ADMIN),
)
