-- Reviews: who has which case, what was answered blind, and decisions that are held before they are final.

CREATE TABLE review_cases (
    transaction_id  uuid PRIMARY KEY REFERENCES transactions,
    account_id      uuid NOT NULL REFERENCES accounts,
    holder          text,
    held_until      timestamptz,
    version         integer NOT NULL,
    passed_by       text[] NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE review_cases IS 'A row once somebody has taken the transaction; the queue itself is its status.';
COMMENT ON COLUMN review_cases.passed_by IS 'Who asked for a second opinion: it is not handed to them again.';
CREATE INDEX review_cases_by_holder ON review_cases (account_id, holder) WHERE holder IS NOT NULL;
CREATE TABLE review_answers (
    answer_id       uuid PRIMARY KEY,
    account_id      uuid NOT NULL REFERENCES accounts,
    transaction_id  uuid NOT NULL REFERENCES transactions,
    reviewer        text NOT NULL,
    question        text NOT NULL,
    answer          text NOT NULL CHECK (answer IN ('SAME', 'CANNOT_TELL', 'DIFFERENT')),
    confidence      text NOT NULL CHECK (confidence IN ('LOW', 'MEDIUM', 'HIGH')),
    blind           boolean NOT NULL,
    answered_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX review_answers_by_transaction ON review_answers (transaction_id, answered_at);
CREATE UNIQUE INDEX review_answers_locked ON review_answers (transaction_id, reviewer, question) WHERE blind;
CREATE TABLE review_opinions (
    opinion_id      uuid PRIMARY KEY,
    account_id      uuid NOT NULL REFERENCES accounts,
    transaction_id  uuid NOT NULL REFERENCES transactions,
    reviewer        text NOT NULL,
    state           text NOT NULL CHECK (state IN
                    ('PENDING', 'WITHDRAWN', 'GIVEN', 'FINAL', 'SUPERSEDED', 'REFUSED')),
    outcome         text NOT NULL CHECK (outcome IN ('APPROVED', 'REJECTED')),
    reason          text NOT NULL,
    sealed_note     bytea,
    seen            text[] NOT NULL,
    decided_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    finalise_at     timestamptz NOT NULL,
    finalised_at    timestamptz
);
COMMENT ON COLUMN review_opinions.sealed_note IS 'What the reviewer wrote, under the customer''s key.';
COMMENT ON COLUMN review_opinions.seen IS 'What stood on the page when the decision was made.';
CREATE INDEX review_opinions_by_transaction ON review_opinions (transaction_id, decided_at);
CREATE UNIQUE INDEX review_opinions_pending ON review_opinions (transaction_id) WHERE state = 'PENDING';
CREATE UNIQUE INDEX review_opinions_once ON review_opinions (transaction_id, reviewer) WHERE state IN ('GIVEN', 'FINAL');
ALTER TABLE review_cases ENABLE ROW LEVEL SECURITY;
ALTER TABLE review_cases FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON review_cases TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON review_cases TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON review_cases TO truename_app, truename_system;
ALTER TABLE review_answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE review_answers FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON review_answers TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON review_answers TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON review_answers TO truename_app, truename_system;
ALTER TABLE review_opinions ENABLE ROW LEVEL SECURITY;
ALTER TABLE review_opinions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON review_opinions TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON review_opinions TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON review_opinions TO truename_app, truename_system;
