-- What was asked of us lately: a log of requests without any value of them, for seven days.

-- Not logged to the disk first: it helps developers, nothing rests on it, and it is written once a second.
CREATE UNLOGGED TABLE request_log (
    account_id  uuid NOT NULL,
    request_id  text NOT NULL,
    at          timestamptz NOT NULL,
    method      text NOT NULL,
    path        text NOT NULL,
    status      integer NOT NULL,
    took_ms     real NOT NULL,
    client      text NOT NULL,
    code        text,
    subject     text,
    sent        text,
    answered    text
);
COMMENT ON COLUMN request_log.sent IS 'Names and types of the members of the body, as JSON; never a value.';
CREATE INDEX request_log_by_time ON request_log (account_id, at DESC);
CREATE INDEX request_log_by_id ON request_log (account_id, request_id);
CREATE INDEX request_log_by_age ON request_log USING brin (at);
ALTER TABLE request_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_log FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON request_log TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON request_log TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON request_log TO truename_app, truename_system;
