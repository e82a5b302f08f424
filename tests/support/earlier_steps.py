"""A database as an earlier version had made it."""

import secrets

import psycopg
from psycopg import sql

from truename.plumbing.database.migrate import FOLDER


def database_at_step(postgres: str, step: str) -> str:
    """As the steps up to this one made it, owned by a login that may create roles and no more."""
    owner = f"owner_{secrets.token_hex(5)}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEROLE").format(sql.Identifier(owner)))
        connection.execute(
            sql.SQL("GRANT truename_app, truename_system TO {} WITH ADMIN OPTION").format(sql.Identifier(owner))
        )
        connection.execute(sql.SQL("CREATE DATABASE {0} OWNER {0}").format(sql.Identifier(owner)))
    url = postgres.replace("@/truename?", f"@/{owner}?options=-c%20role%3D{owner}&")
    with psycopg.connect(url) as connection:
        for path in sorted((FOLDER / "versions").glob("*.sql")):
            if path.name[:4] <= step:
                connection.execute(path.read_text("utf-8"))  # type: ignore[arg-type,unused-ignore]
        connection.execute("CREATE TABLE alembic_version (version_num varchar(32) NOT NULL PRIMARY KEY)")
        connection.execute("INSERT INTO alembic_version VALUES (%s)", (step,))
    return url
