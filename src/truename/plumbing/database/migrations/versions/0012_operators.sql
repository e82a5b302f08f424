-- Operators of the dashboard: their roles, passkeys, sessions and challenges.

-- Tables of the whole house: one operator may work for several accounts, so no row belongs to one. What an operator may
-- do where is in operator_roles, which does.
CREATE TABLE operators (
    operator_id          uuid PRIMARY KEY,
    email                text NOT NULL,
    name                 text NOT NULL DEFAULT '',
    password_hash        text NOT NULL,
    password_changed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    totp_sealed          bytea,
    totp_last_step       bigint NOT NULL DEFAULT 0,
    totp_confirmed_at    timestamptz,
    recovery_hashes      bytea[] NOT NULL DEFAULT '{}',
    time_zone            text NOT NULL DEFAULT 'UTC',
    single_keys          boolean NOT NULL DEFAULT true,
    compact              boolean NOT NULL DEFAULT false,
    created_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    disabled_at          timestamptz
);
CREATE UNIQUE INDEX operators_by_email ON operators (lower(email));

CREATE TABLE operator_passkeys (
    credential_id  bytea PRIMARY KEY,
    operator_id    uuid NOT NULL REFERENCES operators,
    public_key     bytea NOT NULL,
    sign_count     bigint NOT NULL,
    name           text NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    used_at        timestamptz
);
CREATE INDEX operator_passkeys_by_operator ON operator_passkeys (operator_id);

-- Only a hash of the cookie's token is kept. `current_account` is the account that the session looks at.
CREATE TABLE operator_sessions (
    session_id       uuid PRIMARY KEY,
    token_hash       bytea NOT NULL UNIQUE,
    operator_id      uuid NOT NULL REFERENCES operators,
    current_account  uuid REFERENCES accounts ON DELETE SET NULL,
    second_factor    boolean NOT NULL,
    address          text NOT NULL,
    place            text NOT NULL,
    browser          text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at         timestamptz
);
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id, created_at);
CREATE INDEX operator_sessions_by_age ON operator_sessions (seen_at);

-- What was asked and must be answered once: the second step of a sign-in, a passkey's challenge.
CREATE TABLE operator_challenges (
    challenge_hash  bytea PRIMARY KEY,
    purpose         text NOT NULL,
    operator_id     uuid REFERENCES operators,
    tries           integer NOT NULL DEFAULT 0,
    expires_at      timestamptz NOT NULL
);
CREATE INDEX operator_challenges_by_operator ON operator_challenges (operator_id);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON operators, operator_passkeys, operator_sessions, operator_challenges TO truename_system;

CREATE TABLE operator_roles (
    operator_id  uuid NOT NULL REFERENCES operators,
    account_id   uuid NOT NULL REFERENCES accounts,
    role         text NOT NULL CHECK (role IN ('viewer', 'reviewer', 'admin')),
    granted_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (operator_id, account_id)
);
CREATE INDEX operator_roles_by_account ON operator_roles (account_id);
ALTER TABLE operator_roles ENABLE ROW LEVEL SECURITY;
ALTER TABLE operator_roles FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON operator_roles TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON operator_roles TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON operator_roles TO truename_app, truename_system;
