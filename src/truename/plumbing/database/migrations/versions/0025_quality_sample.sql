-- Approvals of the engine that are looked at by a person, unmarked among the other cases, and how long cases take.

CREATE TABLE review_samples (
    transaction_id  uuid PRIMARY KEY REFERENCES transactions,
    account_id      uuid NOT NULL REFERENCES accounts,
    state           text NOT NULL DEFAULT 'WAITING' CHECK (state IN ('WAITING', 'DONE')),
    outcome         text CHECK (outcome IN ('APPROVED', 'REJECTED')),
    reviewer        text,
    chosen_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    settled_at      timestamptz,
    CHECK ((state = 'DONE') = (outcome IS NOT NULL))
);
COMMENT ON TABLE review_samples IS 'The verdict stands beside the transaction, whose status it never changes.';
CREATE INDEX review_samples_waiting ON review_samples (account_id) WHERE state = 'WAITING';
CREATE INDEX review_samples_settled ON review_samples (account_id, settled_at) WHERE state = 'DONE';
ALTER TABLE review_samples ENABLE ROW LEVEL SECURITY;
ALTER TABLE review_samples FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON review_samples TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON review_samples TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON review_samples TO truename_app, truename_system;
ALTER TABLE review_cases ADD COLUMN taken_at timestamptz;
COMMENT ON COLUMN review_cases.taken_at IS 'When its holder took it.';
ALTER TABLE review_opinions ADD COLUMN taken_at timestamptz;
COMMENT ON COLUMN review_opinions.taken_at IS 'When its author had taken the case.';
CREATE INDEX review_opinions_by_time ON review_opinions (account_id, decided_at);
CREATE INDEX review_answers_by_time ON review_answers (account_id, answered_at);
