"""An operator changes what an account decides for itself."""

import re
import secrets

import psycopg
import pytest
from psycopg.types.json import Jsonb

import truename.plumbing.database.migrate as migrate
from tests.support.served import truename_here
from truename.accounts.create import create_account
from truename.accounts.model import AccountSettings
from truename.cli.accounts import _change, change
from truename.cli.exit_codes import ExitCode


def test_the_help_names_every_setting() -> None:
    words = set(re.findall(r"\w+", change.__doc__ or ""))
    assert AccountSettings.model_fields.keys() - words == set()


@pytest.mark.parametrize("wrong", [["", "--json"], ["shop", "--scopes", "everything"], ["shop", "--scopes", ""]])
def test_an_account_that_cannot_be_costs_no_data_folder(tmp_path, wrong) -> None:
    told = truename_here(tmp_path / "data", "account", "create", *wrong)
    assert (told.returncode, list(tmp_path.iterdir())) == (ExitCode.USAGE, [])


@pytest.fixture
async def named(plumbing):
    name = f"shop {secrets.token_hex(6)}"
    await create_account(plumbing, name)
    return name


async def test_choices_are_kept_and_the_rest_stays(settings, named):
    await _change(settings, named, ["retention_days=90", "capture_origins=https://a.example, https://b.example"])
    changed = await _change(settings, named, ["manual_review=true", "retention_days=null"])
    assert changed.manual_review is True
    assert changed.retention_days is None
    assert changed.capture_origins == ("https://a.example", "https://b.example")


@pytest.mark.parametrize("choice", ["retention_days=0", "manual_reviews=true", "face_search=on", "manual_review"])
async def test_a_choice_that_cannot_be_is_refused_and_changes_nothing(settings, named, choice):
    before = await _change(settings, named, ["handoff=false"])
    with pytest.raises(ValueError):
        await _change(settings, named, [choice])
    assert await _change(settings, named, ["handoff=false"]) == before


@pytest.mark.parametrize(
    "wrong",
    [
        "shop.example",
        "https://shop.example/checkout",
        "https://*.shop.example",
        "ftp://shop.example",
        "https://",
        "null",
    ],
)
async def test_what_is_no_origin_of_a_page_is_refused_and_not_silently_without_effect(settings, named, wrong):
    with pytest.raises(ValueError, match=r"must be an origin such as https://shop\.example"):
        await _change(settings, named, [f"capture_origins=https://good.example,{wrong}"])
    assert (await _change(settings, named, ["handoff=false"])).capture_origins == ()


async def test_an_origin_is_kept_as_browsers_write_it(settings, named):
    """The page compares it with what the browser says, letter by letter."""
    written = "https://Shop.example/, https://shop.example:8443, http://localhost:3000, https://pay.example:443"
    changed = await _change(settings, named, [f"capture_origins={written}"])
    plain = ("https://shop.example", "https://shop.example:8443", "http://localhost:3000", "https://pay.example")
    assert changed.capture_origins == plain
    assert (await _change(settings, named, ["capture_origins=null"])).capture_origins == ()


async def test_an_origin_of_an_earlier_version_keeps_nobody_from_other_choices(settings, named, plumbing):
    async with plumbing.database.system() as connection:
        old = Jsonb({"capture_origins": ["shop.example"]})
        await connection.execute("UPDATE accounts SET settings = settings || %s WHERE name = %s", (old, named))
    assert (await _change(settings, named, ["handoff=false"])).capture_origins == ("shop.example",)


@pytest.mark.parametrize("name", ["privacy_url", "return_url"])
@pytest.mark.parametrize(
    ("address", "good"),
    [
        ("https://shop.example/privacy?lang=es#top", True),
        ("http://localhost:3000/done", True),
        ("javascript:alert(1)", False),
        ("JavaScript://shop.example/%0aalert(1)", False),
        ("data:text/html,x", False),
        ("vbscript:x", False),
        ("//shop.example", False),
        ("/done", False),
        ("https://", False),
        ("https://user@shop.example/", False),
        ("https://shop.example/a b", False),
        ("https://shop.example/" + "x" * 2000, False),
    ],
)
async def test_links_on_the_capture_page_lead_to_pages_only(settings, named, name, address, good):
    """A browser would run `javascript:` instead of opening it (S10)."""
    if good:
        assert getattr(await _change(settings, named, [f"{name}={address}"]), name) == address
    else:
        with pytest.raises(ValueError, match="must be an address"):
            await _change(settings, named, [f"{name}={address}"])


async def test_a_search_is_refused_where_the_database_has_no_pgvector(plumbing, settings, named):
    assert (await _change(settings, named, ["face_search=report"])).face_search == "report"
    async with await psycopg.AsyncConnection.connect(plumbing.database.url) as own:
        await own.execute("ALTER TABLE face_vectors RENAME TO face_vectors_away")
    try:
        assert (await _change(settings, named, ["face_search=off"])).face_search == "off"
        with pytest.raises(ValueError, match="no pgvector"):
            await _change(settings, named, ["face_search=enforce"])
        assert (await _change(settings, named, ["handoff=false"])).face_search == "off"
    finally:
        async with await psycopg.AsyncConnection.connect(plumbing.database.url) as own:
            await own.execute("ALTER TABLE face_vectors_away RENAME TO face_vectors")


async def test_an_unknown_account_is_told(settings):
    with pytest.raises(LookupError, match="no account named"):
        await _change(settings, "nobody", ["handoff=false"])


@pytest.mark.parametrize("chosen", ["report", "enforce"])
async def test_an_account_that_once_chose_a_face_search_has_it_off(plumbing, settings, named, chosen):
    step = migrate.FOLDER / "versions" / "0008_face_search_off.sql"
    async with plumbing.database.system() as connection:
        await connection.execute(
            "UPDATE accounts SET settings = settings || %s WHERE name = %s", (Jsonb({"face_search": chosen}), named)
        )
    # On a connection of its own, as every step: it ends with RESET ROLE, and the pool's would stay a superuser's.
    async with await psycopg.AsyncConnection.connect(plumbing.database.url) as own:
        await own.execute(step.read_bytes())
    assert (await _change(settings, named, ["handoff=false"])).face_search == "off"
