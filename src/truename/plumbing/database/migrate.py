"""Bring a database up to date, however many processes try it at once."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from psycopg.rows import TupleRow

from truename.plumbing.database.watched_connection import answering_within

LOCK: Final = 0x7472_7565
"""The advisory lock under which the schema changes."""
OLDEST: Final = 150000
CONNECT_SECONDS: Final = 15
FOLDER: Final = Path(__file__).with_name("migrations")

OWNER: Final = "SELECT tableowner FROM pg_tables WHERE schemaname = 'public' AND tablename = 'alembic_version'"
NAMES: Final = ("truename_app", "truename_system")
"""The roles under which sessions work."""
ROLES: Final = """
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['truename_app', 'truename_system'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- roles belong to the whole server: another database's migration was quicker
            END;
        END IF;
        IF NOT pg_has_role(current_user, name, 'USAGE') THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', name);
        END IF;
    END LOOP;
END $$
"""


class DatabaseError(Exception):
    """The database cannot be used, and what to do."""


class DatabaseOutdated(Exception):
    """The database was made by an older Truename, and the command at hand may not change it."""


class NotEmpty(Exception):
    """There is a schema of Truename in this database already."""


async def prepare_for_restore(url: str) -> None:
    """Make the roles that a dump's grants name; raises NotEmpty when there is a schema already."""

    def prepare() -> None:
        with _connect(url) as connection:
            if current(connection) is not None:
                raise NotEmpty
            _make_roles(connection)

    await asyncio.to_thread(prepare)


async def require_newest(url: str) -> None:
    """Raise DatabaseOutdated unless the schema is the one that this code needs; changes nothing."""
    await asyncio.to_thread(_require_newest, url)


async def migrate(url: str) -> bool:
    """Bring the schema up to date; says whether there was anything to do."""
    return await asyncio.to_thread(_migrate, url)


def newest() -> str:
    """The revision that this code needs: files are named after theirs."""
    return max(path.name.split("_")[0] for path in (FOLDER / "versions").glob("[0-9]*.py"))


def current(connection: psycopg.Connection[TupleRow]) -> str | None:
    """The revision that the database has; raises DatabaseError where its user may not read it."""
    if connection.execute("SELECT to_regclass('public.alembic_version')").fetchone() == (None,):
        return None
    try:
        row = connection.execute("SELECT version_num FROM public.alembic_version").fetchone()
    except psycopg.errors.InsufficientPrivilege:
        (owner,) = connection.execute(OWNER).fetchone() or ("their owner",)
        user = connection.info.user
        raise DatabaseError(
            f'The database\'s user "{user}" may not read its tables. Name another in its address, '
            f'or let an administrator run: GRANT "{owner}" TO "{user}"; '
        ) from None
    return None if row is None else str(row[0])


def _connect(url: str) -> psycopg.Connection[TupleRow]:
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS)
    except psycopg.OperationalError as error:
        raise DatabaseError(f"The database cannot be reached: {str(error).strip()}") from None


def _require_newest(url: str) -> None:
    with _connect(url) as connection:
        try:
            with answering_within(connection, CONNECT_SECONDS):
                found = current(connection)
        except psycopg.OperationalError:
            raise DatabaseError("The database took the connection, and did not answer then.") from None
    if found is None:
        raise DatabaseOutdated("The database is empty: `truename migrate` or `truename serve` prepares it.")
    if found < newest():
        raise DatabaseOutdated(
            f"The database is at step {found}, this Truename needs step {newest()}: run `truename migrate`."
        )
    refuse_newer(found)


def refuse_newer(found: str, what: str = "The database") -> None:
    """Raise DatabaseError for a schema of a later Truename: there is no way from it to the one that this code needs."""
    if found > newest():
        raise DatabaseError(f"{what} (step {found}) is newer than this Truename (step {newest()}): upgrade Truename.")


def _migrate(url: str) -> bool:
    with _connect(url) as connection:
        if connection.info.server_version < OLDEST:
            raise DatabaseError("PostgreSQL 15 or newer is needed.")
        if current(connection) == newest():
            return False
        with _alone(connection):
            found = current(connection)
            if found == newest():
                return False
            if found is not None:
                refuse_newer(found)
            _make_roles(connection)
            _run_alembic(url)
    return True


@contextmanager
def _alone(connection: psycopg.Connection[TupleRow]) -> Iterator[None]:
    connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
    try:
        yield
    finally:
        connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


def _make_roles(connection: psycopg.Connection[TupleRow]) -> None:
    try:
        connection.execute(ROLES)
    except psycopg.errors.InsufficientPrivilege:
        found = connection.execute("SELECT rolname FROM pg_roles WHERE rolname = ANY(%s)", (list(NAMES),)).fetchall()
        lacking = [f"CREATE ROLE {name} NOLOGIN NOINHERIT; " for name in NAMES if (name,) not in found]
        may_not = "create roles" if lacking else "give itself the roles that it needs"
        raise DatabaseError(
            f"The database's user may not {may_not}. Let an administrator run: {''.join(lacking)}"
            f'GRANT {", ".join(NAMES)} TO "{connection.info.user}"; '
        ) from None


def _run_alembic(url: str) -> None:
    # Half a second of imports that a start with an up-to-date schema does not pay.
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import create_engine, pool

    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(url, connect_timeout=15), poolclass=pool.NullPool
    )
    with engine.connect() as connection:
        config = Config()
        config.set_main_option("script_location", str(FOLDER))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()
