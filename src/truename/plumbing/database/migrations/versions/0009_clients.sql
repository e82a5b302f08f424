-- Clients with names and overlapping secrets, revoked at once; failed sign-ins; the trial as a setting of its own.

ALTER TABLE clients
    ADD COLUMN name                  text NOT NULL DEFAULT '',
    ADD COLUMN rotated_at            timestamptz,
    ADD COLUMN previous_secret_hash  bytea,
    ADD COLUMN previous_expires_at   timestamptz;
CREATE INDEX clients_by_account ON clients (account_id, created_at);

-- Buckets of the rate limit that are closed for good, such as that of a revoked client: each call is charged to one
-- anyway, so this costs no further round trip. No row belongs to an account: the name of a bucket is all there is.
CREATE TABLE closed_buckets (
    bucket     text PRIMARY KEY,
    closed_at  timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON closed_buckets TO truename_app, truename_system;

-- Counted here and written into the audit log at most twice a minute, so that nobody fills the disk with them.
CREATE UNLOGGED TABLE failed_sign_ins (
    account_id  uuid NOT NULL,
    subject     text NOT NULL,
    reason      text NOT NULL,
    count       integer NOT NULL,
    first_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_id, subject, reason)
);
ALTER TABLE failed_sign_ins ENABLE ROW LEVEL SECURITY;
ALTER TABLE failed_sign_ins FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON failed_sign_ins TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON failed_sign_ins TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON failed_sign_ins TO truename_app, truename_system;

-- The owner of the tables is bound by row-level security, too: this role sees every account.
SET LOCAL ROLE truename_system;
INSERT INTO closed_buckets (bucket, closed_at)
    SELECT 'client:' || client_id, revoked_at FROM clients WHERE revoked_at IS NOT NULL;
-- Until now the right to send webhooks to loopback was the mark of a trial account.
UPDATE accounts SET settings = settings || '{"trial": true}'
    WHERE settings ->> 'allow_loopback_webhooks' = 'true';
-- Addresses that a browser would run instead of opening were accepted.
UPDATE accounts SET settings = settings || '{"privacy_url": null}'
    WHERE settings ->> 'privacy_url' !~* '^https?://[^/?#[:space:]]';
UPDATE accounts SET settings = settings || '{"return_url": null}'
    WHERE settings ->> 'return_url' !~* '^https?://[^/?#[:space:]]';
RESET ROLE;
