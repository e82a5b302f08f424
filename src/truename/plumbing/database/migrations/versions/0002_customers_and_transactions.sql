-- Customers, their faces, transactions, what was seen and decided, media.
-- Frozen: it was released. A change is a new file.

CREATE TABLE customers (
    customer_id           uuid PRIMARY KEY,
    account_id            uuid NOT NULL REFERENCES accounts,
    external_customer_id  text COLLATE "C",
    status                text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'SUSPICIOUS', 'BLOCKED')),
    data_key              bytea,
    sealed_profile        bytea,
    sealed_record         bytea,
    reference_face_id     uuid,
    created_at            timestamptz NOT NULL DEFAULT now(),
    erased_at             timestamptz,
    UNIQUE (account_id, external_customer_id),
    CHECK ((erased_at IS NULL) = (data_key IS NOT NULL AND external_customer_id IS NOT NULL))
);
COMMENT ON COLUMN customers.data_key IS 'Wrapped. Erasure destroys it, and with it all that was sealed under it.';
CREATE TABLE transactions (
    transaction_id    uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES accounts,
    customer_id       uuid NOT NULL REFERENCES customers,
    transaction_type  text NOT NULL CHECK (transaction_type IN
                      ('DOCUMENT_AND_BIOMETRIC', 'DOCUMENT_ONLY', 'BIOMETRIC_ONLY')),
    status            text NOT NULL DEFAULT 'CREATED' CHECK (status IN
                      ('CREATED', 'IN_PROGRESS', 'PROCESSING',
                      'APPROVED', 'REJECTED', 'IN_REVIEW', 'FAILED', 'EXPIRED', 'CANCELLED')),
    sequence          integer NOT NULL DEFAULT 0,
    config            jsonb NOT NULL,
    sealed_matching   bytea,
    created_at        timestamptz NOT NULL DEFAULT now(),
    started_at        timestamptz,
    submitted_at      timestamptz,
    completed_at      timestamptz,
    expires_at        timestamptz NOT NULL,
    outcome           text,
    decided_by        text,
    decided_at        timestamptz,
    issues            jsonb NOT NULL DEFAULT '[]',
    checks            jsonb NOT NULL DEFAULT '[]',
    fraud_signs       boolean NOT NULL DEFAULT false,
    redacted_at       timestamptz
);
COMMENT ON COLUMN transactions.sealed_matching IS
    'config.document_policy.data_matching: it names a person, so it is sealed.';
CREATE INDEX transactions_by_account ON transactions (account_id, created_at DESC, transaction_id DESC);
CREATE INDEX transactions_by_customer ON transactions (customer_id, created_at DESC, transaction_id DESC);
CREATE INDEX transactions_by_status ON transactions (account_id, status, created_at DESC, transaction_id DESC);
CREATE INDEX transactions_to_expire ON transactions (expires_at) WHERE status IN ('CREATED', 'IN_PROGRESS');
CREATE TABLE media (
    media_id        uuid PRIMARY KEY,
    account_id      uuid NOT NULL REFERENCES accounts,
    customer_id     uuid NOT NULL REFERENCES customers,
    transaction_id  uuid REFERENCES transactions,
    kind            text NOT NULL,
    content_type    text NOT NULL,
    size            integer NOT NULL,
    width           integer,
    height          integer,
    storage_key     text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    redacted_at     timestamptz
);
CREATE INDEX media_by_transaction ON media (transaction_id);
CREATE INDEX media_by_customer ON media (customer_id);
CREATE TABLE faces (
    face_id          uuid PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts,
    customer_id      uuid NOT NULL REFERENCES customers,
    transaction_id   uuid REFERENCES transactions,
    origin           text NOT NULL CHECK (origin IN ('REFERENCE_IMAGE', 'LIVENESS', 'DOCUMENT')),
    media_id         uuid REFERENCES media,
    usable           boolean NOT NULL,
    reason           text,
    model_sha256     text,
    sealed_template  bytea,
    created_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX faces_by_customer ON faces (customer_id);
CREATE TABLE examinations (
    transaction_id  uuid PRIMARY KEY REFERENCES transactions,
    account_id      uuid NOT NULL REFERENCES accounts,
    customer_id     uuid NOT NULL REFERENCES customers,
    sealed_dossier  bytea NOT NULL,
    engine          jsonb NOT NULL DEFAULT '[]',
    judged_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX examinations_by_customer ON examinations (customer_id);
ALTER TABLE customers ENABLE ROW LEVEL SECURITY;
ALTER TABLE customers FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON customers TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON customers TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON customers TO truename_app, truename_system;
ALTER TABLE transactions ENABLE ROW LEVEL SECURITY;
ALTER TABLE transactions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON transactions TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON transactions TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON transactions TO truename_app, truename_system;
ALTER TABLE media ENABLE ROW LEVEL SECURITY;
ALTER TABLE media FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON media TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON media TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON media TO truename_app, truename_system;
ALTER TABLE faces ENABLE ROW LEVEL SECURITY;
ALTER TABLE faces FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON faces TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON faces TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON faces TO truename_app, truename_system;
ALTER TABLE examinations ENABLE ROW LEVEL SECURITY;
ALTER TABLE examinations FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON examinations TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON examinations TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON examinations TO truename_app, truename_system;
