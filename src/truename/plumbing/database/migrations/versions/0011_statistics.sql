-- Hourly sums, keyed hashes to search by, and the indexes that lists of a million transactions need.

CREATE TABLE statistics_hours (
    account_id  uuid NOT NULL REFERENCES accounts,
    hour        timestamptz NOT NULL,
    measure     text NOT NULL,
    label       text NOT NULL,
    count       bigint NOT NULL,
    PRIMARY KEY (account_id, hour, measure, label)
);
CREATE TABLE statistics_progress (
    account_id  uuid PRIMARY KEY REFERENCES accounts,
    until       timestamptz NOT NULL
);
COMMENT ON TABLE statistics_progress IS 'When the sums of an account were last made; without a row all are made anew.';
CREATE TABLE search_keys (
    account_id      uuid NOT NULL REFERENCES accounts,
    key             bytea NOT NULL,
    transaction_id  uuid NOT NULL REFERENCES transactions,
    customer_id     uuid NOT NULL REFERENCES customers,
    PRIMARY KEY (account_id, key, transaction_id)
);
COMMENT ON COLUMN search_keys.key IS 'Keyed hash of a word of a name or of a number, for this account alone.';
CREATE INDEX search_keys_by_transaction ON search_keys (transaction_id);
CREATE INDEX search_keys_by_customer ON search_keys (customer_id);
CREATE INDEX transactions_by_completion ON transactions (account_id, completed_at DESC, transaction_id DESC)
    WHERE completed_at IS NOT NULL;
CREATE INDEX transactions_by_issue ON transactions USING gin (issues jsonb_path_ops) WHERE issues <> '[]';
ALTER TABLE statistics_hours ENABLE ROW LEVEL SECURITY;
ALTER TABLE statistics_hours FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON statistics_hours TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON statistics_hours TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON statistics_hours TO truename_app, truename_system;
ALTER TABLE statistics_progress ENABLE ROW LEVEL SECURITY;
ALTER TABLE statistics_progress FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON statistics_progress TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON statistics_progress TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON statistics_progress TO truename_app, truename_system;
ALTER TABLE search_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON search_keys TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON search_keys TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON search_keys TO truename_app, truename_system;
