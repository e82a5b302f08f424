"""Bring a database up to date, however many processes try it at once."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from psycopg.rows import TupleRow

from truename.plumbing.database.sessions import connect_to_change
from truename.plumbing.database.watched_connection import answering_within

LOCK: Final = 0x7472_7565
"""The advisory lock under which the schema changes."""
OLDEST: Final = 150000
CONNECT_SECONDS: Final = 15
FOLDER: Final = Path(__file__).with_name("migrations")

EMPTY: Final = "The database is empty: `truename migrate` or `truename serve` prepares it."
OF_ITS_OWN: Final = "Give Truename a database of its own, which is empty."
OWNER: Final = "SELECT tableowner FROM pg_tables WHERE schemaname = 'public' AND tablename = 'alembic_version'"
OTHERS: Final = """
SELECT c.relnamespace::regnamespace || '.' || c.relname FROM pg_class c
WHERE c.relnamespace IN (to_regnamespace('public'), to_regnamespace('jobs'), to_regnamespace('months'))
  AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.oid IS DISTINCT FROM to_regclass('public.alembic_version')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND deptype = 'e')
ORDER BY 1 LIMIT 1
"""
"""A table in a database without our schema, where ours would be; those of extensions are in nobody's way."""
FIRST_STEP: Final = """
SELECT to_regclass('public.webhook_secrets') IS NOT NULL AND to_regclass('public.signing_keys') IS NOT NULL
"""
"""Did our first step make its tables here? Another program may number its steps as we do."""
MAY_CREATE: Final = """
SELECT has_database_privilege(current_database(), 'CREATE')
       AND coalesce(has_schema_privilege(to_regnamespace('public'), 'CREATE'), false)
"""
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


class DatabaseUnfit(DatabaseError):
    """Another database must be named, another Truename used, or something changed in it: to try again does not help."""


class DatabaseOutdated(Exception):
    """The database was made by an older Truename, and the command at hand may not change it."""


class NotEmpty(Exception):
    """There is a schema of Truename in this database already, or what belongs to another program."""


async def prepare_for_restore(url: str, *, vectors: bool) -> None:
    """Make the roles that a dump's grants name; `vectors`: the dump holds the table of face search.

    Raises NotEmpty when there is something already, and DatabaseUnfit where the dump could not be put into it.
    """

    def prepare() -> None:
        with _connect(url) as connection:
            if current(connection) is not None or _others(connection) is not None:
                raise NotEmpty
            _refuse_unfit(connection)
            if vectors:
                _refuse_without_vectors(connection)
            _make_roles(connection)

    await asyncio.to_thread(prepare)


async def require_newest(url: str) -> None:
    """Raise DatabaseOutdated unless the schema is the one that this code needs; changes nothing."""
    await asyncio.to_thread(_require_newest, url)


async def require_some(url: str) -> None:
    """Raise DatabaseOutdated where there is no schema of Truename at all, DatabaseUnfit where another program's is."""

    def require() -> None:
        with _connect(url) as connection:
            if current(connection) is None:
                raise DatabaseOutdated(EMPTY)

    await asyncio.to_thread(require)


async def migrate(url: str) -> bool:
    """Bring the schema up to date; says whether there was anything to do."""
    return await asyncio.to_thread(_migrate, url)


def newest() -> str:
    """The revision that this code needs: files are named after theirs."""
    return max(path.name.split("_")[0] for path in (FOLDER / "versions").glob("[0-9]*.py"))


def current(connection: psycopg.Connection[TupleRow]) -> str | None:
    """The revision that the database has; raises DatabaseUnfit where its user may not read it, or it is not ours."""
    if connection.execute("SELECT to_regclass('public.alembic_version')").fetchone() == (None,):
        return None
    try:
        row = connection.execute("SELECT version_num FROM public.alembic_version").fetchone()
    except psycopg.errors.InsufficientPrivilege:
        (owner,) = connection.execute(OWNER).fetchone() or ("their owner",)
        user = connection.info.user
        raise DatabaseUnfit(
            f'The database\'s user "{user}" may not read its tables. Name another in its address, '
            f'or let an administrator run: GRANT "{owner}" TO "{user}"; '
        ) from None
    if row is None:
        return None
    step = str(row[0])
    numbered_as_ours = len(step) == 4 and step.isdecimal()
    if not numbered_as_ours or connection.execute(FIRST_STEP).fetchone() != (True,):
        raise DatabaseUnfit(f"The database (step {step}) is another program's. {OF_ITS_OWN}")
    return step


def _connect(url: str) -> psycopg.Connection[TupleRow]:
    try:
        return connect_to_change(url, CONNECT_SECONDS)
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
        raise DatabaseOutdated(EMPTY)
    if found < newest():
        raise DatabaseOutdated(
            f"The database is at step {found}, this Truename needs step {newest()}: run `truename migrate`."
        )
    refuse_newer(found)


def refuse_newer(found: str, what: str = "The database") -> None:
    """Raise DatabaseUnfit for a schema of a later Truename: there is no way from it to the one that this code needs."""
    if found > newest():
        raise DatabaseUnfit(f"{what} (step {found}) is newer than this Truename (step {newest()}): upgrade Truename.")


def _migrate(url: str) -> bool:
    with _connect(url) as connection:
        if current(connection) == newest():
            return False
        with _alone(connection):
            found = current(connection)
            if found == newest():
                return False
            if found is not None:
                refuse_newer(found)
            elif (others := _others(connection)) is not None:
                raise DatabaseUnfit(f"The database holds {others}, which is not Truename's. {OF_ITS_OWN}")
            else:
                _refuse_unfit(connection)
            _make_roles(connection)
            _run_alembic(url)
    return True


def _others(connection: psycopg.Connection[TupleRow]) -> str | None:
    row = connection.execute(OTHERS).fetchone()
    return None if row is None else str(row[0])


def _refuse_unfit(connection: psycopg.Connection[TupleRow]) -> None:
    """Raise DatabaseUnfit where our schema could not be made in a database that has none."""
    if connection.info.server_version < OLDEST:
        raise DatabaseUnfit("PostgreSQL 15 or newer is needed.")
    if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
        raise DatabaseUnfit(
            f"The database keeps text as {encoding}, which lacks letters of people's names. Give Truename one that was "
            "made with ENCODING 'UTF8' TEMPLATE template0."
        )
    if connection.execute(MAY_CREATE).fetchone() != (True,):
        user, name = connection.info.user, connection.info.dbname
        raise DatabaseUnfit(
            f'The database\'s user "{user}" may not create tables in it. Let an administrator run: '
            f'ALTER DATABASE "{name}" OWNER TO "{user}"; '
        )


def _refuse_without_vectors(connection: psycopg.Connection[TupleRow]) -> None:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile):
        raise DatabaseUnfit(
            f"The backup is of a server that has pgvector, and this one lacks it. Install it here (Debian: "
            f"postgresql-{connection.info.server_version // 10000}-pgvector)."
        ) from None
    except psycopg.errors.InsufficientPrivilege:
        raise DatabaseUnfit(
            "The backup needs pgvector, and the database's user may not add it. Let an administrator run, in this "
            "database: CREATE EXTENSION vector SCHEMA public;"
        ) from None


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
        raise DatabaseUnfit(
            f"The database's user may not {may_not}. Let an administrator run: {''.join(lacking)}"
            f'GRANT {", ".join(NAMES)} TO "{connection.info.user}"; '
        ) from None


def _run_alembic(url: str) -> None:
    # Half a second of imports that a start with an up-to-date schema does not pay.
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import create_engine, pool

    def connect() -> psycopg.Connection[TupleRow]:
        connection = connect_to_change(url, CONNECT_SECONDS)
        connection.autocommit = False
        return connection

    engine = create_engine("postgresql+psycopg://", creator=connect, poolclass=pool.NullPool)
    with engine.connect() as connection:
        config = Config()
        config.set_main_option("script_location", str(FOLDER))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()
