"""What each session of ours is set to: a role or a database may have been given other settings by its administrator."""

from typing import Final, LiteralString

import psycopg
from psycopg.rows import TupleRow

from truename.plumbing.database.watched_connection import answering_within

KNOWN_SESSION: Final[LiteralString] = (
    "SET search_path TO public, jobs; SET timezone TO 'UTC'; SET datestyle TO ISO; SET client_encoding TO 'UTF8'; "
    "SET intervalstyle TO postgres; SET bytea_output TO hex; SET extra_float_digits TO 1; "
    "SET standard_conforming_strings TO on; SET row_security TO on; "
    "SET default_transaction_isolation TO 'read committed'; SET idle_session_timeout TO 0"
)
"""How values are written and names are found; and no end to a session of a pool that has nothing to do."""
AS_LONG_AS_IT_TAKES: Final[LiteralString] = (
    "SET statement_timeout TO 0; SET lock_timeout TO 0; SET idle_in_transaction_session_timeout TO 0"
)
"""For steps of the schema, which wait for each other and may copy a table: limits on a role are meant for callers."""


def connect_to_change(url: str, seconds: int) -> psycopg.Connection[TupleRow]:
    """A connection with the rights of the login, for what changes the schema: each statement by itself.

    Raises psycopg.OperationalError where the database is not reached, or does not answer, within so many seconds.
    """
    connection = psycopg.connect(url, autocommit=True, connect_timeout=seconds)
    try:
        with answering_within(connection, seconds):
            connection.execute(f"{KNOWN_SESSION}; {AS_LONG_AS_IT_TAKES}")
    except psycopg.Error:
        connection.close()
        raise
    return connection
