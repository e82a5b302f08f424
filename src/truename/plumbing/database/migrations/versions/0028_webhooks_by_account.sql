-- One job delivers everything that an account has due, and of each transaction one event after another.
-- Frozen once released. A change is a new file.

CREATE INDEX webhook_events_due_by_account ON webhook_events (account_id, next_attempt_at) WHERE state = 'PENDING';
CREATE INDEX webhook_events_untried ON webhook_events (account_id, transaction_id, sequence)
    WHERE attempts = 0;
