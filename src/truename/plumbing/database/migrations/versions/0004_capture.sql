-- What the phone sent: consent, device signals, document sides, liveness challenges and their frames.
-- Frozen: it was released. A change is a new file.

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
ALTER TABLE captures ENABLE ROW LEVEL SECURITY;
ALTER TABLE captures FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON captures TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON captures TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON captures TO truename_app, truename_system;
ALTER TABLE seen_frames ENABLE ROW LEVEL SECURITY;
ALTER TABLE seen_frames FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON seen_frames TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON seen_frames TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON seen_frames TO truename_app, truename_system;
ALTER TABLE challenges ENABLE ROW LEVEL SECURITY;
ALTER TABLE challenges FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON challenges TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON challenges TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON challenges TO truename_app, truename_system;
ALTER TABLE device_signals ENABLE ROW LEVEL SECURITY;
ALTER TABLE device_signals FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON device_signals TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON device_signals TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON device_signals TO truename_app, truename_system;
ALTER TABLE consents ENABLE ROW LEVEL SECURITY;
ALTER TABLE consents FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON consents TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON consents TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON consents TO truename_app, truename_system;
ALTER TABLE biometric_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE biometric_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON biometric_attempts TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON biometric_attempts TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON biometric_attempts TO truename_app, truename_system;
ALTER TABLE handoffs ENABLE ROW LEVEL SECURITY;
ALTER TABLE handoffs FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON handoffs TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON handoffs TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON handoffs TO truename_app, truename_system;
