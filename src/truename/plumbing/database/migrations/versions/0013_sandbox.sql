-- Sandbox accounts: a mode that is fixed at creation, and how far their time was moved.

ALTER TABLE accounts
    ADD COLUMN livemode               boolean NOT NULL DEFAULT true,
    ADD COLUMN sandbox_of             uuid UNIQUE REFERENCES accounts,
    ADD COLUMN clock_advanced_seconds bigint NOT NULL DEFAULT 0 CHECK (clock_advanced_seconds >= 0),
    ADD CHECK (NOT livemode OR (sandbox_of IS NULL AND clock_advanced_seconds = 0));
COMMENT ON COLUMN accounts.livemode IS 'False: a sandbox, whose answers say so. Fixed at creation.';
COMMENT ON COLUMN accounts.sandbox_of IS 'The live account beside which this sandbox was made.';
COMMENT ON COLUMN accounts.clock_advanced_seconds IS 'How much older everything in the sandbox was made, in all.';

CREATE FUNCTION keep_livemode() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'An account stays live or sandbox, as it was created.';
END $$;
CREATE TRIGGER livemode_is_fixed BEFORE UPDATE OF livemode ON accounts FOR EACH ROW
    WHEN (OLD.livemode IS DISTINCT FROM NEW.livemode) EXECUTE FUNCTION keep_livemode();

-- Loopback receivers are a matter of sandbox and trial accounts now. Who had the right keeps it.
SET LOCAL ROLE truename_system;
UPDATE accounts SET settings = settings || '{"trial": true}' WHERE settings ->> 'allow_loopback_webhooks' = 'true';
UPDATE accounts SET settings = settings - 'allow_loopback_webhooks';
RESET ROLE;
