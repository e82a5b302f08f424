"""Rewrite the tables that held people, so that no dead row of an erased one stays in the files of the database.

PostgreSQL marks rows as dead and reuses their room some day; until then the bytes lie in the table's file. Only a
rewrite removes them for sure, and it locks each table meanwhile: this is for an operator, at a quiet hour.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import sql

from truename.plumbing.database.sessions import connect_to_change
from truename.privacy.personal_data import COLUMNS, Kept

CONNECT_SECONDS: Final = 15
TABLES: Final = tuple(dict.fromkeys(row.table for row in COLUMNS if row.kept is not Kept.NOT_PERSONAL))
"""Every table that ever holds something of a person."""


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What was done."""

    tables: tuple[str, ...]
    checkpoint: bool
    """Whether a checkpoint was made, after which PostgreSQL may drop or reuse the older write-ahead log."""


async def scrub(url: str) -> Scrubbed:
    """Rewrite each table, one after another. Raises psycopg.Error when the login does not own them."""
    return await asyncio.to_thread(_scrub, url)


def _scrub(url: str) -> Scrubbed:
    with connect_to_change(url, CONNECT_SECONDS) as connection:
        for table in TABLES:
            there = connection.execute("SELECT to_regclass(%s)", (f"public.{table}",)).fetchone()
            if there == (None,):
                continue  # that of face search, on a server without pgvector
            connection.execute(sql.SQL("VACUUM (FULL, ANALYZE) {}").format(sql.Identifier(table)))
        try:
            connection.execute("CHECKPOINT")
        except psycopg.errors.InsufficientPrivilege:
            return Scrubbed(TABLES, False)
    return Scrubbed(TABLES, True)
