-- The audit log as a chain that only grows, and secrets of the whole installation.

-- What was written before there was a chain. The next start links these rows into it and empties the table.
ALTER TABLE audit_log RENAME TO audit_log_before_chain;
ALTER INDEX audit_log_pkey RENAME TO audit_log_before_chain_pkey;
ALTER INDEX audit_log_by_account RENAME TO audit_log_before_chain_by_account;

-- No foreign key to accounts: the nil account is the installation itself, and the log outlives what it tells of.
CREATE TABLE audit_log (
    audit_id       uuid PRIMARY KEY,
    account_id     uuid NOT NULL,
    sequence       bigint NOT NULL CHECK (sequence > 0),
    at             timestamptz NOT NULL,
    actor          text NOT NULL,
    action         text NOT NULL,
    subject        text NOT NULL,
    details        jsonb NOT NULL,
    sealed_reason  bytea,
    hash           bytea NOT NULL,
    UNIQUE (account_id, sequence)
);
COMMENT ON COLUMN audit_log.hash IS 'HMAC of the row and of the hash before it, under a key that is not in the database.';
COMMENT ON COLUMN audit_log.sealed_reason IS
    'Free text, sealed under the key of the customer it concerns: unreadable once that customer was erased.';
CREATE INDEX audit_log_by_time ON audit_log (account_id, at);
CREATE INDEX audit_log_by_subject ON audit_log (account_id, subject);
CREATE TABLE audit_heads (
    account_id  uuid PRIMARY KEY,
    count       bigint NOT NULL,
    hash        bytea NOT NULL,
    mac         bytea NOT NULL
);
COMMENT ON TABLE audit_heads IS 'The end of each chain, so that a shortened one is noticed.';
CREATE FUNCTION audit_heads_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.account_id <> OLD.account_id OR NEW.count <= OLD.count THEN
        RAISE EXCEPTION 'The audit log only grows.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER only_grow BEFORE UPDATE ON audit_heads FOR EACH ROW
    WHEN (current_user IN ('truename_app', 'truename_system')) EXECUTE FUNCTION audit_heads_only_grow();
CREATE TABLE system_secrets (
    name        text PRIMARY KEY,
    sealed      bytea NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE system_secrets IS 'Random secrets of the whole installation, sealed under the master key.';
GRANT SELECT, INSERT, UPDATE ON system_secrets TO truename_app, truename_system;
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON audit_log TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON audit_log TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON audit_log TO truename_app, truename_system;
ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_heads FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON audit_heads TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON audit_heads TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON audit_heads TO truename_app, truename_system;
