-- Cases of a sandbox whose truth is known: what people answer to them shows how often each of them errs.

CREATE TABLE review_controls (
    transaction_id  uuid PRIMARY KEY REFERENCES transactions,
    account_id      uuid NOT NULL REFERENCES accounts,
    truth           text NOT NULL CHECK (truth IN ('SAME', 'DIFFERENT')),
    said_at         timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN review_controls.truth IS 'Are the faces of document and camera of one person? Of drawn or consenting people only.';
CREATE INDEX review_controls_by_account ON review_controls (account_id);
ALTER TABLE review_controls ENABLE ROW LEVEL SECURITY;
ALTER TABLE review_controls FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON review_controls TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON review_controls TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON review_controls TO truename_app, truename_system;
