-- Back-tests: what was asked, how far it is, what came out.

CREATE TABLE backtests (
    backtest_id       uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES accounts,
    status            text NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
    mode              text NOT NULL CHECK (mode IN ('REPLACE', 'CHANGE')),
    config            jsonb NOT NULL,
    since             timestamptz NOT NULL,
    until             timestamptz NOT NULL,
    transaction_type  text,
    total             integer NOT NULL,
    done              integer NOT NULL DEFAULT 0,
    result            jsonb,
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at       timestamptz
);
COMMENT ON COLUMN backtests.config IS 'The policy as it was sent; never what it would expect of one person.';
CREATE INDEX backtests_by_account ON backtests (account_id, created_at DESC);
ALTER TABLE backtests ENABLE ROW LEVEL SECURITY;
ALTER TABLE backtests FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON backtests TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON backtests TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON backtests TO truename_app, truename_system;
