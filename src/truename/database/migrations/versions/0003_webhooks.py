"""Events that wait for delivery, and the log of every attempt."""

from importlib import import_module

from alembic import op

TENANT = import_module("truename.database.migrations.versions.0001_foundation").TENANT

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.execute("""
CREATE TABLE webhook_events (
    event_id         text PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts,
    transaction_id   uuid NOT NULL REFERENCES transactions,
    sequence         integer NOT NULL,
    type             text NOT NULL,
    url              text NOT NULL,
    body             text NOT NULL,
    state            text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DELIVERED', 'EXHAUSTED', 'STOPPED')),
    attempts         integer NOT NULL DEFAULT 0,
    next_attempt_at  timestamptz NOT NULL DEFAULT now(),
    queued_at        timestamptz DEFAULT now(),
    created_at       timestamptz NOT NULL DEFAULT now(),
    UNIQUE (transaction_id, sequence)
);
CREATE INDEX webhook_events_due ON webhook_events (next_attempt_at) WHERE state = 'PENDING';
CREATE INDEX webhook_events_by_account ON webhook_events (account_id, event_id DESC);
CREATE TABLE webhook_attempts (
    attempt_id   uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts,
    event_id     text NOT NULL REFERENCES webhook_events ON DELETE CASCADE,
    number       integer NOT NULL,
    at           timestamptz NOT NULL DEFAULT now(),
    took_ms      integer,
    status_code  integer,
    outcome      text NOT NULL,
    error        text
);
CREATE INDEX webhook_attempts_by_event ON webhook_attempts (event_id, number);
""")
    for table in ("webhook_events", "webhook_attempts"):
        op.execute(TENANT.format(table=table))


def downgrade() -> None:
    raise NotImplementedError("Restore a backup instead: going back would lose data.")
