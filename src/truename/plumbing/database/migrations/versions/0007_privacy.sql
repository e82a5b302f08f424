-- Answers that die with their customer, hand-offs that are sealed, and where a customer's record came from.

-- The caller's key and the body may name a person: only keyed hashes of them are kept, which no SQL can make of what is
-- there. A repetition of a request from before this step does its work anew.
DROP TABLE idempotent_answers;
CREATE TABLE idempotent_answers (
    account_id      uuid NOT NULL REFERENCES accounts,
    client_id       text NOT NULL,
    key_hash        bytea NOT NULL,
    fingerprint     bytea,
    status          integer NOT NULL,
    sealed          bytea,
    sealed_on       date NOT NULL,
    customer_id     uuid,
    transaction_id  uuid,
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, client_id, key_hash)
);
COMMENT ON COLUMN idempotent_answers.sealed IS
    'Under the key of the customer it is about, else under a key of its account and day. NULL: it was erased.';
CREATE INDEX idempotent_answers_by_age ON idempotent_answers (created_at);
CREATE INDEX idempotent_answers_by_customer ON idempotent_answers (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX idempotent_answers_by_transaction ON idempotent_answers (transaction_id) WHERE transaction_id IS NOT NULL;
ALTER TABLE idempotent_answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotent_answers FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON idempotent_answers TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON idempotent_answers TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotent_answers TO truename_app, truename_system;

-- A hand-off lives for minutes: one that is under way now shows no device on the phone.
ALTER TABLE handoffs DROP COLUMN origin;
ALTER TABLE handoffs ADD COLUMN sealed_origin bytea;
COMMENT ON COLUMN handoffs.sealed_origin IS 'The device and place that began the capture, under the customer''s key.';

ALTER TABLE customers ADD COLUMN record_transaction_id uuid;
COMMENT ON COLUMN customers.record_transaction_id IS 'The transaction whose document sealed_record was read from.';
-- The owner of the tables is bound by row-level security, too: this role sees every account.
SET LOCAL ROLE truename_system;
UPDATE customers c SET record_transaction_id = (
    SELECT t.transaction_id FROM transactions t WHERE t.customer_id = c.customer_id AND t.outcome = 'APPROVED'
    AND t.transaction_type <> 'BIOMETRIC_ONLY' ORDER BY t.decided_at DESC LIMIT 1)
WHERE c.sealed_record IS NOT NULL;

-- What customers erased before this step left behind.
UPDATE webhook_events e SET body = jsonb_set(e.body::jsonb, '{data,external_customer_id}', 'null')::text
FROM transactions t JOIN customers c USING (customer_id)
WHERE t.transaction_id = e.transaction_id AND c.erased_at IS NOT NULL;
DELETE FROM device_signals d USING transactions t JOIN customers c USING (customer_id)
WHERE t.transaction_id = d.transaction_id AND c.erased_at IS NOT NULL;
DELETE FROM handoffs h USING transactions t JOIN customers c USING (customer_id)
WHERE t.transaction_id = h.transaction_id AND c.erased_at IS NOT NULL;

RESET ROLE;

-- What retention looks for.
CREATE INDEX transactions_to_retain ON transactions (account_id, completed_at)
    WHERE completed_at IS NOT NULL AND redacted_at IS NULL;
