"""Roles, accounts, clients, signing keys, idempotent answers and rate limits."""

from alembic import op

revision = "0001"
down_revision = None

TENANT = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON {table} TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON {table} TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO truename_app, truename_system;
"""


def upgrade() -> None:
    op.execute("""
CREATE TABLE accounts (
    account_id  uuid PRIMARY KEY,
    name        text NOT NULL UNIQUE,
    settings    jsonb NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE clients (
    client_id    text PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts,
    secret_hash  bytea NOT NULL,
    scopes       text[] NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    revoked_at   timestamptz
);
CREATE TABLE webhook_secrets (
    secret_id   uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts,
    sealed      bytea NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz
);
CREATE INDEX webhook_secrets_by_account ON webhook_secrets (account_id);
CREATE TABLE idempotent_answers (
    account_id   uuid NOT NULL REFERENCES accounts,
    client_id    text NOT NULL,
    key          text NOT NULL,
    fingerprint  bytea NOT NULL,
    status       integer NOT NULL,
    sealed       bytea NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, client_id, key)
);
CREATE INDEX idempotent_answers_by_age ON idempotent_answers (created_at);
CREATE TABLE audit_log (
    audit_id    uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor       text NOT NULL,
    action      text NOT NULL,
    subject     text NOT NULL,
    details     jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_by_account ON audit_log (account_id, at);
CREATE TABLE signing_keys (
    kid         text PRIMARY KEY,
    public_jwk  jsonb NOT NULL,
    sealed      bytea NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    retired_at  timestamptz
);
CREATE UNLOGGED TABLE rate_limits (
    bucket   text PRIMARY KEY,
    tat      timestamptz NOT NULL,
    granted  integer NOT NULL DEFAULT 0
);
GRANT SELECT, INSERT, UPDATE, DELETE ON signing_keys, rate_limits TO truename_app, truename_system;
""")
    for table in ("accounts", "clients", "webhook_secrets", "idempotent_answers", "audit_log"):
        op.execute(TENANT.format(table=table))


def downgrade() -> None:
    raise NotImplementedError("Restore a backup instead: going back would lose data.")
