-- Events that wait for delivery, and the log of every attempt.
-- Frozen: it was released. A change is a new file.

CREATE TABLE webhook_events (
    event_id         text PRIMARY KEY,
    account_id       uuid NOT NULL REFERENCES accounts,
    transaction_id   uuid NOT NULL REFERENCES transactions,
    sequence         integer NOT NULL,
    type             text NOT NULL,
    url              text NOT NULL,
    body             text NOT NULL,
    state            text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DELIVERED', 'EXHAUSTED', 'STOPPED')),
    attempts         integer NOT NULL DEFAULT 0,
    next_attempt_at  timestamptz NOT NULL DEFAULT now(),
    queued_at        timestamptz DEFAULT now(),
    created_at       timestamptz NOT NULL DEFAULT now(),
    UNIQUE (transaction_id, sequence)
);
CREATE INDEX webhook_events_due ON webhook_events (next_attempt_at) WHERE state = 'PENDING';
CREATE INDEX webhook_events_by_account ON webhook_events (account_id, event_id DESC);
CREATE TABLE webhook_attempts (
    attempt_id   uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts,
    event_id     text NOT NULL REFERENCES webhook_events ON DELETE CASCADE,
    number       integer NOT NULL,
    at           timestamptz NOT NULL DEFAULT now(),
    took_ms      integer,
    status_code  integer,
    outcome      text NOT NULL,
    error        text
);
CREATE INDEX webhook_attempts_by_event ON webhook_attempts (event_id, number);
ALTER TABLE webhook_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_events FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON webhook_events TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON webhook_events TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_events TO truename_app, truename_system;
ALTER TABLE webhook_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON webhook_attempts TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON webhook_attempts TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_attempts TO truename_app, truename_system;
