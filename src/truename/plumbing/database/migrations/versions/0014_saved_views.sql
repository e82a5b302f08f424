-- Views that operators keep of the list of transactions, and an index of webhooks that fail.

CREATE TABLE saved_views (
    view_id      uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts,
    operator_id  uuid NOT NULL REFERENCES operators,
    name         text NOT NULL,
    query        text NOT NULL,
    shared       boolean NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, operator_id, name)
);
CREATE INDEX saved_views_by_operator ON saved_views (operator_id);
ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_views FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON saved_views TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON saved_views TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_views TO truename_app, truename_system;
CREATE INDEX webhook_events_failing ON webhook_events (account_id, transaction_id)
    WHERE state = 'EXHAUSTED' OR (state = 'PENDING' AND attempts > 0);
