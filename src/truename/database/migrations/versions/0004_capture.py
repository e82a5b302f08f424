"""What the phone sent: consent, device signals, document sides, liveness challenges and their frames."""

from importlib import import_module

from alembic import op

TENANT = import_module("truename.database.migrations.versions.0001_foundation").TENANT

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.execute("""
CREATE TABLE captures (
    transaction_id  uuid NOT NULL REFERENCES transactions,
    account_id      uuid NOT NULL REFERENCES accounts,
    slot            text NOT NULL CHECK (slot IN ('DOCUMENT_FRONT', 'DOCUMENT_BACK', 'LIVENESS')),
    takes           integer NOT NULL DEFAULT 1,
    usable          boolean NOT NULL,
    reasons         jsonb NOT NULL DEFAULT '[]',
    media           jsonb NOT NULL DEFAULT '[]',
    chosen          jsonb NOT NULL DEFAULT '{}',
    challenge       text[] NOT NULL DEFAULT '{}',
    back_needed     boolean,
    taken_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (transaction_id, slot)
);
COMMENT ON COLUMN captures.media IS 'One item for each stored picture: {media_id, step, at_ms}, in order.';
COMMENT ON COLUMN captures.chosen IS
    'The document that the person chose: {country, type}, and where the picture came from.';
COMMENT ON COLUMN captures.challenge IS 'The steps that the server had asked for, in order.';
CREATE TABLE seen_frames (
    fingerprint     bytea NOT NULL,
    account_id      uuid NOT NULL REFERENCES accounts,
    customer_id     uuid NOT NULL REFERENCES customers,
    transaction_id  uuid NOT NULL REFERENCES transactions,
    at              timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX seen_frames_by_fingerprint ON seen_frames (account_id, fingerprint);
CREATE INDEX seen_frames_by_customer ON seen_frames (customer_id, at);
CREATE TABLE challenges (
    nonce_hash      bytea PRIMARY KEY,
    transaction_id  uuid NOT NULL REFERENCES transactions,
    account_id      uuid NOT NULL REFERENCES accounts,
    steps           text[] NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz NOT NULL,
    used_at         timestamptz
);
CREATE INDEX challenges_by_transaction ON challenges (transaction_id);
CREATE TABLE device_signals (
    transaction_id  uuid PRIMARY KEY REFERENCES transactions,
    account_id      uuid NOT NULL REFERENCES accounts,
    reported        boolean NOT NULL,
    sealed          bytea NOT NULL,
    seen_at         timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE consents (
    transaction_id  uuid PRIMARY KEY REFERENCES transactions,
    account_id      uuid NOT NULL REFERENCES accounts,
    given           boolean NOT NULL,
    text_version    text NOT NULL,
    language        text NOT NULL,
    at              timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE biometric_attempts (
    attempt_id      uuid PRIMARY KEY,
    account_id      uuid NOT NULL REFERENCES accounts,
    customer_id     uuid NOT NULL REFERENCES customers,
    transaction_id  uuid NOT NULL REFERENCES transactions,
    at              timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX biometric_attempts_by_customer ON biometric_attempts (customer_id, at);
CREATE TABLE handoffs (
    handoff_hash    bytea PRIMARY KEY,
    account_id      uuid NOT NULL REFERENCES accounts,
    transaction_id  uuid NOT NULL REFERENCES transactions,
    match_number    text NOT NULL,
    origin          jsonb NOT NULL,
    phone_jti       text,
    state           text NOT NULL DEFAULT 'WAITING' CHECK (state IN
                    ('WAITING', 'OPENED', 'CONNECTED', 'FINISHED', 'REFUSED')),
    created_at      timestamptz NOT NULL DEFAULT now(),
    seen_at         timestamptz,
    expires_at      timestamptz NOT NULL
);
CREATE INDEX handoffs_by_transaction ON handoffs (transaction_id);
""")
    for table in (
        "captures",
        "seen_frames",
        "challenges",
        "device_signals",
        "consents",
        "biometric_attempts",
        "handoffs",
    ):
        op.execute(TENANT.format(table=table))


def downgrade() -> None:
    raise NotImplementedError("Restore a backup instead: going back would lose data.")
