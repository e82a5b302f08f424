-- Blocklists of faces, and the vectors in which a live face is searched for.
-- The installation's own list belongs to the account of zeros, as its audit log does: so there is no reference to accounts.

CREATE TABLE blocklist_entries (
    entry_id         uuid PRIMARY KEY,
    account_id       uuid NOT NULL,
    customer_id      uuid REFERENCES customers,
    data_key         bytea NOT NULL,
    sealed_reason    bytea NOT NULL,
    sealed_picture   bytea,
    sealed_template  bytea NOT NULL,
    model_sha256     text NOT NULL,
    added_by         text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at       timestamptz
);
COMMENT ON TABLE blocklist_entries IS
    'Faces that an account, or the installation (account of zeros), does not want to see again; sealed under a key of the entry.';
COMMENT ON COLUMN blocklist_entries.customer_id IS 'The customer whose face it is, if it was taken from one: the entry goes with the erasure.';
CREATE INDEX blocklist_entries_by_account ON blocklist_entries (account_id, created_at DESC, entry_id DESC);
CREATE INDEX blocklist_entries_by_customer ON blocklist_entries (customer_id);
CREATE INDEX blocklist_entries_by_end ON blocklist_entries (expires_at) WHERE expires_at IS NOT NULL;
ALTER TABLE blocklist_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE blocklist_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON blocklist_entries TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON blocklist_entries TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON blocklist_entries TO truename_app, truename_system;

CREATE TABLE face_search_counts (
    account_id    uuid NOT NULL REFERENCES accounts,
    model_sha256  text NOT NULL,
    enrolled      bigint NOT NULL,
    graph         boolean NOT NULL DEFAULT false,
    counted_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_id, model_sha256)
);
COMMENT ON TABLE face_search_counts IS
    'How many faces of an account can be searched by one recipe; no row until all of them were put there once.';
COMMENT ON COLUMN face_search_counts.graph IS 'There is an HNSW index for them: so many that comparing all would be slow.';
ALTER TABLE face_search_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE face_search_counts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_account ON face_search_counts TO truename_app
    USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
    WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
CREATE POLICY whole_house ON face_search_counts TO truename_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON face_search_counts TO truename_app, truename_system;

-- pgvector is an extension that not every server has, and that only an administrator may add: without it everything but
-- the search works. `truename database face-search` calls this again once it is there.
CREATE FUNCTION prepare_face_search() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF to_regtype('public.halfvec') IS NULL THEN
        BEGIN
            CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
        EXCEPTION WHEN OTHERS THEN
            RETURN false; -- not installed on the server, or the login may not add it
        END;
    END IF;
    IF to_regtype('public.halfvec') IS NULL THEN
        RETURN false; -- older than 0.7, or in another schema
    END IF;
    IF to_regclass('public.face_vectors') IS NOT NULL THEN
        RETURN true;
    END IF;
    CREATE TABLE face_vectors (
        account_id    uuid NOT NULL,
        model_sha256  text NOT NULL,
        face_id       uuid REFERENCES faces ON DELETE CASCADE,
        entry_id      uuid REFERENCES blocklist_entries ON DELETE CASCADE,
        vector        public.halfvec NOT NULL,
        CHECK (num_nonnulls(face_id, entry_id) = 1),
        UNIQUE (face_id, model_sha256),
        UNIQUE (entry_id, model_sha256)
    );
    COMMENT ON TABLE face_vectors IS
        'What a live face is compared with: reference faces of customers, and faces of blocklists (account of zeros: the installation''s).';
    COMMENT ON COLUMN face_vectors.vector IS 'A template, turned by a rotation that is the account''s secret: not sealed, because it is compared here.';
    ALTER TABLE face_vectors ALTER COLUMN vector SET STORAGE PLAIN;
    CREATE INDEX face_vectors_of_customers ON face_vectors (account_id, model_sha256) WHERE face_id IS NOT NULL;
    CREATE INDEX face_vectors_of_entries ON face_vectors (account_id, model_sha256) WHERE entry_id IS NOT NULL;
    ALTER TABLE face_vectors ENABLE ROW LEVEL SECURITY;
    ALTER TABLE face_vectors FORCE ROW LEVEL SECURITY;
    CREATE POLICY own_account ON face_vectors TO truename_app
        USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
        WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid);
    CREATE POLICY whole_house ON face_vectors TO truename_system USING (true) WITH CHECK (true);
    GRANT SELECT, INSERT, UPDATE, DELETE ON face_vectors TO truename_app, truename_system;
    RETURN true;
END $$;
COMMENT ON FUNCTION prepare_face_search IS 'Make the table that face search needs; false where this server has no pgvector.';
SELECT prepare_face_search();
