-- What a keyed hash was made of, so that groups can be counted and people linked; what went to a person, by time.

ALTER TABLE search_keys ADD COLUMN kind text NOT NULL DEFAULT 'WORD'
    CHECK (kind IN ('WORD', 'NAME', 'NUMBER', 'TRAIT', 'DEVICE', 'ADDRESS'));
COMMENT ON COLUMN search_keys.key IS 'Keyed hash of a word of a name, a number, a group, a device or an address, for this account alone.';
CREATE INDEX transactions_for_a_person ON transactions (account_id, submitted_at)
    WHERE status = 'IN_REVIEW' OR decided_by = 'REVIEWER';
