-- Cases that were handed to somebody: the queue gives them to that person first, and to nobody else by itself.

ALTER TABLE review_cases ADD COLUMN assigned_to text, ADD COLUMN assigned_until timestamptz;
COMMENT ON TABLE review_cases IS 'A row once somebody has taken the transaction or was handed it; the queue itself is its status.';
