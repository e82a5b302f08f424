-- The config as it was sent, beside the effective one; default policies of accounts.

ALTER TABLE transactions ADD COLUMN config_sent jsonb;
COMMENT ON COLUMN transactions.config_sent IS
    'What the integrator sent of the config, without data_matching, which is sealed; null: made before this was kept.';
CREATE TABLE default_policies (
    policy_id       uuid PRIMARY KEY,
    account_id      uuid NOT NULL REFERENCES accounts,
    policy          jsonb NOT NULL,
    note            text NOT NULL,
    state           text NOT NULL CHECK (state IN ('DRAFT', 'AGREED', 'WITHDRAWN')),
    drafted_by      text NOT NULL,
    drafted_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    decided_by      text,
    decided_at      timestamptz,
    effective_from  timestamptz
);
COMMENT ON TABLE default_policies IS
    'What fills the configs of new transactions: of those agreed to, the one whose effective_from passed last.';
CREATE INDEX default_policies_by_account ON default_policies (account_id, drafted_at DESC);
ALTER TABLE default_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE default_policies FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON default_policies TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON default_policies TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON default_policies TO truename_app, truename_system;
