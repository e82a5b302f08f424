"""Where the parts are put together: settings in, a working set of plumbing out."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib import import_module
from typing import Final

from truename.audit.adopt import begin_chains
from truename.bundled.drawing import drawing_files
from truename.bundled.files import INSTALL_AGAIN, BundledFile, BundleFault
from truename.bundled.npm import npm_files
from truename.bundled.postgresql import libraries_in_place_of_the_packages
from truename.plumbing.crypto import seals
from truename.plumbing.crypto.master_key import MasterKeyError, master_keys
from truename.plumbing.crypto.vault import CannotOpen, Vault
from truename.plumbing.customer_keys import ELSEWHERE, KeysElsewhere
from truename.plumbing.database.embedded import Embedded, NoDataHere, holds_data
from truename.plumbing.database.heard_time import hearing_time
from truename.plumbing.database.keys_database import KeysDatabase
from truename.plumbing.database.migrate import migrate, require_newest
from truename.plumbing.database.pool import Database
from truename.plumbing.jobs.queue_names import Queue, queue_of
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import Settings
from truename.plumbing.storage.objects import Objects
from truename.plumbing.system_secrets import HASH_ROOT, system_secret
from truename.plumbing.tracing import exporting
from truename.vision import models
from truename.vision.configuration import VisionConfiguration, configure
from truename.vision.decoding.decoder import DecodingLimits
from truename.vision.decoding.pool import Decoders

JOB_MODULES: Final[tuple[str, ...]] = (
    "truename.accounts.jobs",
    "truename.accounts.sign_in_failures",
    "truename.operators.jobs",
    "truename.plumbing.http.expiry",
    "truename.plumbing.http.request_log",
    "truename.plumbing.jobs.parts",
    "truename.transactions.cancel",
    "truename.transactions.expire",
    "truename.analysis.analyse",
    "truename.backtest.jobs",
    "truename.face_search.keep_up",
    "truename.media.delete",
    "truename.media.orphans",
    "truename.privacy.erase",
    "truename.privacy.keys",
    "truename.privacy.retain",
    "truename.reviews.finalise",
    "truename.reviews.samples",
    "truename.sandbox.clock",
    "truename.statistics.count",
    "truename.webhooks.deliver",
)
"""Every module that registers a job or a regular task; a house rule compares this list with the code."""


def load_jobs(queues: Collection[Queue] = tuple(Queue)) -> None:
    """Make the jobs of these queues known to this process: a worker that only delivers loads no models."""
    for module in JOB_MODULES:
        if queue_of(module.removeprefix("truename.")) in queues:
            import_module(module)


def configure_vision(settings: Settings) -> None:
    """Tell vision, once per process, what the operator has set; raises WrongLayout for a layout file that is wrong."""
    configure(
        VisionConfiguration(
            settings.models,
            settings.vision_threads,
            settings.face_recipe,
            settings.added_models_dir,
            settings.read_all_print,
            settings.vision_provider,
            settings.vision_batch,
            settings.layouts,
        )
    )
    if settings.layouts is not None:
        from truename.vision.document.layouts.own import use_own_layouts  # most processes have no need of layouts

        use_own_layouts()


def missing_files() -> list[str]:
    """A sentence for each weight or browser file that should be here and is not. Quick: contents are not read."""
    absent = (file.path for file in _needed_files() if not file.path.is_file())
    return [*models.missing(), *(f"There is no file {path}; {INSTALL_AGAIN}." for path in absent)]


def _needed_files() -> tuple[BundledFile, ...]:
    """Others' files without the weights."""
    return (*npm_files(), *drawing_files(), *libraries_in_place_of_the_packages())


def damaged_files() -> list[str]:
    """A sentence for each weight or browser file that is missing or is not the very file that was pinned.

    Also when the face recipe has no calibration or lacks a network, and when onnxruntime cannot run on what is set.
    Reads every file: a fifth of a second.
    """
    from truename.vision.face.compare import curve  # brings the networks' libraries, which most commands do not need
    from truename.vision.face.embed import networks
    from truename.vision.runtime import check_provider

    rows = {row.name: row for row in (*models.shipped_or_given(), *networks())}
    reads: list[Callable[[], object]] = [partial(models.weights, row) for row in rows.values()]
    sentences = []
    for read in (*reads, *(file.read for file in _needed_files()), curve, check_provider):
        try:
            read()
        except (models.ModelUnavailable, BundleFault) as fault:
            sentences.append(str(fault))
    return sentences


@asynccontextmanager
async def database_url(settings: Settings, *, may_create: bool = False) -> AsyncGenerator[str]:
    """The address of the database, which is started and kept alive if it is the embedded one.

    Raises NoDataHere where there is no embedded database yet and none may be made.
    """
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    if not may_create and not holds_data(settings.data_dir):
        raise NoDataHere(
            f"There is no data of Truename in {settings.data_dir.absolute()}. Go to the folder from which it is "
            "served, or set TRUENAME_DATA_DIR or TRUENAME_DATABASE_URL; `truename serve` makes a new one."
        )
    embedded = Embedded(settings.data_dir)
    await asyncio.to_thread(embedded.attach)
    try:
        yield embedded.url
    finally:
        await asyncio.to_thread(embedded.close)


@asynccontextmanager
async def wired(
    settings: Settings, *, may_create: bool = False, answer_within: float | None = None
) -> AsyncGenerator[Plumbing]:
    """Everything a process needs, ready to use, and put away in the right order at the end.

    Only with `may_create` is a data folder, a schema or a master key made where there is none: a command that was
    called in the wrong folder must not leave a new installation behind. `answer_within`: so many seconds each statement
    may take, for who would rather hear that the database says nothing than wait for it.
    """
    configure_vision(settings)
    async with AsyncExitStack() as stack:
        stack.enter_context(exporting(settings))
        url = await stack.enter_async_context(database_url(settings, may_create=may_create))
        await (migrate(url) if may_create else require_newest(url))
        database = Database(url, connections=settings.database_connections)
        if answer_within is not None:
            database.wait_at_most(answer_within)
        await database.open()
        stack.push_async_callback(database.close)
        await stack.enter_async_context(hearing_time(database))
        vault = Vault(master_keys(settings, may_create=may_create and await _holds_nothing_sealed(database)))
        await _refuse_other_key(database, vault)
        decoders = Decoders(DecodingLimits(settings.decoders, settings.decoder_memory_mb, settings.decoder_seconds))
        stack.push_async_callback(decoders.close)
        keys_database = await stack.enter_async_context(_keys_database(settings, database))
        plumbing = Plumbing(settings, database, await _objects(settings, database), vault, decoders, keys_database)
        async with database.system() as connection:
            vault.use_hash_root(await system_secret(connection, vault, HASH_ROOT))
        await begin_chains(plumbing)
        yield plumbing


async def _objects(settings: Settings, database: Database) -> Objects:
    """The store of pictures; its folder is made only while the database knows of no picture."""
    async with database.system() as connection:
        cursor = await connection.execute("SELECT 1 FROM media LIMIT 1")
        return Objects(settings.media_url, may_make=await cursor.fetchone() is None)


@asynccontextmanager
async def _keys_database(settings: Settings, database: Database) -> AsyncGenerator[KeysDatabase | None]:
    """The database of keys, where the settings name one; refuses to go without it when keys are there."""
    if settings.keys_database_url is None:
        async with database.system() as connection:
            # Keys are moved from the oldest on, and new ones are made where the setting says: either end tells.
            cursor = await connection.execute(
                """
                (SELECT data_key FROM customers WHERE data_key IS NOT NULL ORDER BY customer_id LIMIT 1)
                UNION ALL (SELECT data_key FROM customers WHERE data_key IS NOT NULL ORDER BY customer_id DESC LIMIT 1)
                """
            )
            if any(bytes(row["data_key"]) == ELSEWHERE for row in await cursor.fetchall()):
                raise KeysElsewhere(
                    "The keys of customers were moved to a database of their own: set TRUENAME_KEYS_DATABASE_URL."
                )
        yield None
        return
    keys = KeysDatabase(settings.keys_database_url.get_secret_value())
    await keys.open()
    try:
        yield keys
    finally:
        await keys.close()


async def _holds_nothing_sealed(database: Database) -> bool:
    """A new master key may be made only while no row was sealed with an earlier one."""
    async with database.system() as connection:
        cursor = await connection.execute(
            """SELECT NOT EXISTS (SELECT 1 FROM accounts) AND NOT EXISTS (SELECT 1 FROM signing_keys)
               AND NOT EXISTS (SELECT 1 FROM system_secrets) AS empty"""
        )
        row = await cursor.fetchone()
    return row is not None and bool(row["empty"])


async def _refuse_other_key(database: Database, vault: Vault) -> None:
    """A key that opens nothing, or was taken away too early, must be said at the start, not at the first request."""
    async with database.system() as connection:
        cursor = await connection.execute(
            """SELECT count(*) AS n FROM (SELECT sealed FROM webhook_secrets UNION ALL SELECT sealed FROM signing_keys
               UNION ALL SELECT sealed FROM receipt_keys WHERE sealed IS NOT NULL
               UNION ALL SELECT sealed FROM system_secrets) AS found
               WHERE substr(sealed, 1, 1) = '\\x02' AND substr(sealed, 1, 5) <> ALL (%s)""",
            (list(vault.known_prefixes),),
        )
        foreign = await cursor.fetchone()
        cursor = await connection.execute("SELECT secret_id, account_id, sealed FROM webhook_secrets LIMIT 1")
        row = await cursor.fetchone()
        # Where there is no account yet, the installation has secrets of its own all the same.
        cursor = await connection.execute("SELECT name, sealed FROM system_secrets LIMIT 1")
        own = await cursor.fetchone()
    try:
        if foreign is not None and foreign["n"]:
            raise CannotOpen
        if row is not None:
            vault.open_for_account(row["account_id"], seals.webhook_secret(row["secret_id"]), bytes(row["sealed"]))
        if own is not None:
            vault.open_system(seals.system_secret(own["name"]), bytes(own["sealed"]))
    except CannotOpen:
        raise MasterKeyError(
            "The master key is not the one with which this database was sealed. Give the right one "
            "(TRUENAME_MASTER_KEY or TRUENAME_MASTER_KEY_FILE), or point TRUENAME_DATA_DIR at its own folder. "
            "While a master key is replaced, the earlier one is needed too, until `truename keys rewrap` is done."
        ) from None
