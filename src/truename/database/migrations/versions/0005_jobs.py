"""The job engine's tables, in a schema of their own, and our two beside them: work for later and regular ticks."""

from importlib.resources import files

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    # The engine's own text holds colons and per cent signs, so it goes to the driver untouched.
    driver = op.get_bind().connection.driver_connection
    if driver is None:
        raise RuntimeError("The jobs' schema needs a real connection.")
    driver.execute("CREATE SCHEMA jobs; SET LOCAL search_path TO jobs, public")
    driver.execute(files("procrastinate.sql").joinpath("schema.sql").read_text("utf-8"))
    driver.execute("""
CREATE TABLE jobs.later (
    later_id  bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    run_at    timestamptz NOT NULL,
    name      text NOT NULL,
    args      jsonb NOT NULL,
    lock      text,
    priority  integer NOT NULL
);
CREATE INDEX later_by_time ON jobs.later (run_at);
COMMENT ON TABLE jobs.later IS 'Work for the far future: a long queue of it would slow down every fetch.';
CREATE TABLE jobs.ticks (
    name     text PRIMARY KEY,
    last_at  timestamptz NOT NULL
);
COMMENT ON TABLE jobs.ticks IS 'When each regular task last began, so that of several workers one runs it.';
GRANT USAGE ON SCHEMA jobs TO truename_app, truename_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA jobs TO truename_app, truename_system;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA jobs TO truename_app, truename_system;
SET LOCAL search_path TO DEFAULT;
""")


def downgrade() -> None:
    raise NotImplementedError("Restore a backup instead: going back would lose data.")
