-- Roles, accounts, clients, signing keys, idempotent answers and rate limits.
-- Frozen: it was released. A change is a new file.

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
ALTER TABLE accounts ENABLE ROW LEVEL SECURITY;
ALTER TABLE accounts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON accounts TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON accounts TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts TO truename_app, truename_system;
ALTER TABLE clients ENABLE ROW LEVEL SECURITY;
ALTER TABLE clients FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON clients TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON clients TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON clients TO truename_app, truename_system;
ALTER TABLE webhook_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON webhook_secrets TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON webhook_secrets TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_secrets TO truename_app, truename_system;
ALTER TABLE idempotent_answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotent_answers FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON idempotent_answers TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON idempotent_answers TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotent_answers TO truename_app, truename_system;
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON audit_log TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON audit_log TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_log TO truename_app, truename_system;
