-- Passwords that somebody else made: they serve only to choose another, and only for a while.

ALTER TABLE operators ADD COLUMN password_given_at timestamptz;
COMMENT ON COLUMN operators.password_given_at IS 'When somebody else made the present password; empty once its owner chose one.';
