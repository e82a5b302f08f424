"""What many tests need: a real PostgreSQL, the plumbing on it, an account, and a server that answers.

Every xdist worker has a database of its own on one shared embedded server; every test that wants an account gets a
fresh one, so that tests cannot see each other's rows.
"""

import base64
import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import aiohttp
import hypothesis
import psycopg
import pytest
from psycopg import sql

from tests.support.jobs import forget_jobs
from tests.support.log import as_found
from tests.support.loopback import serving
from tests.support.migrated import migrate_by_copy
from tests.support.once import alone, begin, end
from tests.support.scheduling import ByFile, by_file, import_tests, place
from tests.support.waiting import free_port
from truename.accounts.create import create_account
from truename.accounts.model import SCOPES, AccountSettings, NewAccount
from truename.accounts.tokens import issue_access_token
from truename.plumbing.crypto.master_key import master_keys
from truename.plumbing.crypto.vault import Vault
from truename.plumbing.database.embedded import Embedded
from truename.plumbing.database.pool import Database
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings, load_settings
from truename.plumbing.storage.objects import Objects
from truename.wiring import missing_files

TEMPLATE = "truename_template"

# How long an example takes says how busy the machine is, never whether it is right.
ALWAYS = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("truename", ALWAYS)
hypothesis.settings.register_profile("everyday", ALWAYS, max_examples=25)
"""Of `make check`. What differs in a quarter of the examples differs in `make test`, which tries all."""
hypothesis.settings.load_profile("truename")


def pytest_configure(config: pytest.Config) -> None:
    """The controller names the folder in which all of its workers keep what they draw."""
    if (folder := begin()) is not None:
        config.add_cleanup(lambda: end(folder))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Without the bundled files half of the tests would fail, each with other words."""
    if missing := missing_files():
        pytest.exit(f"{missing[0]} ({len(missing)} files)", returncode=4)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    import_tests(session.config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: place(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config) -> ByFile:
    return by_file(config)


@pytest.fixture(autouse=True)
def process_as_found() -> Iterator[None]:
    """Which test comes next in this process is nobody's choice: what a command set up in it is over with the test."""
    with as_found():
        yield


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all xdist workers of a run."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


@pytest.fixture(scope="session")
def postgres(shared_folder: Path) -> Iterator[str]:
    """The address of an embedded server's first database; `truename_template` on it is migrated."""
    with alone(shared_folder / "template.lock"):
        migrate_by_copy(shared_folder / "postgres-of-tests")
    embedded = Embedded(shared_folder / "postgres-of-tests")
    embedded.attach()
    first = embedded.url.replace("@/truename?", "@/postgres?")
    try:
        with alone(shared_folder / "template.lock"), psycopg.connect(first, autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (TEMPLATE,)).fetchone() is None:
                # Tests never cut the power, so they need not wait for the disk.
                for name in ("fsync", "full_page_writes"):
                    connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(name)))
                connection.execute("SELECT pg_reload_conf()")
                connection.execute(sql.SQL("ALTER DATABASE truename RENAME TO {}").format(sql.Identifier(TEMPLATE)))
                connection.execute("CREATE DATABASE truename")
        yield embedded.url
    finally:
        embedded.close()


@pytest.fixture(scope="session")
def new_database(postgres: str) -> Callable[[], str]:
    """Makes a further migrated, empty database and tells its address."""

    def make(template: str = TEMPLATE) -> str:
        name = f"test_{secrets.token_hex(6)}"
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
            )
        return postgres.replace("@/truename?", f"@/{name}?")

    return make


@pytest.fixture(scope="session")
def settings(new_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(
        data_dir=tmp_path_factory.mktemp("data"),
        database_url=new_database(),
        master_key=base64.b64encode(secrets.token_bytes(32)).decode(),
        port=free_port(),
        metrics_token="the metrics of tests",
        dashboard_attempts_per_minute=10_000,
    )


@pytest.fixture(scope="session")
async def plumbing(settings: Settings) -> AsyncIterator[Plumbing]:
    """The real thing, on a database of this xdist worker's own."""
    assert settings.database_url is not None
    database = Database(settings.database_url.get_secret_value(), connections=10)
    await database.open()
    try:
        vault = Vault(master_keys(settings, may_create=False))
        made = Plumbing(settings, database, Objects(settings.media_url), vault)
        yield made
        await made.decoders.close()
    finally:
        await database.close()


@pytest.fixture
async def an_account(plumbing: Plumbing) -> AsyncIterator[NewAccount]:
    """A fresh account with every scope; its webhooks may go to loopback."""
    account = await create_account(plumbing, f"test {secrets.token_hex(8)}", settings=AccountSettings(trial=True))
    yield account
    await forget_jobs(plumbing, account)


@pytest.fixture
async def another_account(plumbing: Plumbing) -> AsyncIterator[NewAccount]:
    """A second account, which must never meet the first."""
    account = await create_account(plumbing, f"test {secrets.token_hex(8)}")
    yield account
    await forget_jobs(plumbing, account)


@pytest.fixture
async def a_sandbox(plumbing: Plumbing) -> AsyncIterator[NewAccount]:
    """A fresh sandbox account with every scope."""
    account = await create_account(plumbing, f"sandbox {secrets.token_hex(8)}", livemode=False)
    yield account
    await forget_jobs(plumbing, account)


@pytest.fixture(scope="session")
async def live_server(plumbing: Plumbing) -> AsyncIterator[str]:
    """The address of the real application, served by uvicorn on a free port of loopback. Its worker is separate."""
    from truename.cli.doors import application
    from truename.plumbing.http.connection_limits import ConnectionLimits
    from truename.plumbing.http.server import server_config

    limits = ConnectionLimits(idle_seconds=75)
    port = plumbing.settings.port
    config = server_config(application(plumbing), plumbing.settings, limits, host="127.0.0.1", port=port)
    async with serving(config) as address:
        yield address


@pytest.fixture
async def client(live_server: str, plumbing: Plumbing, an_account: NewAccount) -> AsyncIterator[aiohttp.ClientSession]:
    """Calls the live server with an access token of `an_account`."""
    token = await issue_access_token(plumbing, an_account.account_id, an_account.client_id, SCOPES)
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(live_server, headers=headers) as calling:
        yield calling


@pytest.fixture
async def sandbox_client(
    live_server: str, plumbing: Plumbing, a_sandbox: NewAccount
) -> AsyncIterator[aiohttp.ClientSession]:
    """Calls the live server with an access token of `a_sandbox`."""
    own = a_sandbox.account_id, a_sandbox.client_id
    token = await issue_access_token(plumbing, *own, SCOPES, livemode=False)
    async with aiohttp.ClientSession(live_server, headers={"Authorization": f"Bearer {token}"}) as calling:
        yield calling


@pytest.fixture
async def another_client(
    live_server: str, plumbing: Plumbing, another_account: NewAccount
) -> AsyncIterator[aiohttp.ClientSession]:
    """Calls the live server with an access token of `another_account`."""
    token = await issue_access_token(plumbing, another_account.account_id, another_account.client_id, SCOPES)
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(live_server, headers=headers) as calling:
        yield calling
