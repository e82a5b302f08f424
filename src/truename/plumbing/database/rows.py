"""Rows of SQL as types: `class_row` and `scalar_row` of psycopg, and statements that always have a row."""

from typing import TypeVar

from psycopg import AsyncCursor

Row = TypeVar("Row")


async def only_row(cursor: AsyncCursor[Row]) -> Row:
    """The row of a statement that always has one, as `INSERT … RETURNING` or a count has; RuntimeError without one."""
    row = await cursor.fetchone()
    if row is None:
        raise RuntimeError("The statement gave no row.")
    return row
