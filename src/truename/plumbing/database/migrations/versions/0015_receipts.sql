-- Receipts of decisions and the keys that sign them.

-- No row belongs to an account: one key signs for the whole house. Rows are never deleted, because a receipt must stay
-- verifiable; a retired key has no private half any more.
CREATE TABLE receipt_keys (
    kid         text PRIMARY KEY,
    public_jwk  jsonb NOT NULL,
    sealed      bytea,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    retired_at  timestamptz,
    CHECK ((sealed IS NULL) = (retired_at IS NOT NULL))
);
CREATE UNIQUE INDEX receipt_keys_one_signs ON receipt_keys ((true)) WHERE retired_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON receipt_keys TO truename_app, truename_system;

-- Written once: nobody may change or delete a receipt.
CREATE TABLE receipts (
    transaction_id  uuid PRIMARY KEY REFERENCES transactions,
    account_id      uuid NOT NULL REFERENCES accounts,
    jws             text NOT NULL,
    kid             text NOT NULL,
    issued_at       timestamptz NOT NULL
);
ALTER TABLE receipts ENABLE ROW LEVEL SECURITY;
ALTER TABLE receipts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON receipts TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON receipts TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON receipts TO truename_app, truename_system;
