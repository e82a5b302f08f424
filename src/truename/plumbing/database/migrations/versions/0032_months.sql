-- What is written once for each transaction or request and looked up by its key or its time lies in one part for each
-- month (the log of requests: for each day), so that old months do not swell what is written today, and what has
-- expired goes by dropping its part.
-- docs/decisions/partitions.md says which tables, which not, and why. Keys, foreign keys and policies stay as they were.
-- Nothing is copied: a table that is there becomes the first part of the new one.

-- The parts have a schema of their own, which the application's roles cannot enter: rows are reached by their table
-- alone, whose policies say which.
CREATE SCHEMA months;
COMMENT ON SCHEMA months IS 'Parts of tables of the schema public, by month or by day; never named by the application.';

CREATE FUNCTION partitioned_tables() RETURNS TABLE (name text, key text, period text, ahead integer, goes text)
LANGUAGE sql IMMUTABLE AS $$
    VALUES ('examinations',     'transaction_id', 'month', 2, 'empty'),
           ('captures',         'transaction_id', 'month', 2, 'empty'),
           ('device_signals',   'transaction_id', 'month', 2, 'empty'),
           ('consents',         'transaction_id', 'month', 2, 'never'),
           ('receipts',         'transaction_id', 'month', 2, 'never'),
           ('webhook_attempts', 'event_id',       'month', 2, 'never'),
           ('audit_log',        'at',             'month', 2, 'never'),
           ('request_log',      'at',             'day',   7, 'by age')
$$;
COMMENT ON FUNCTION partitioned_tables IS
    'Tables in parts: by which column, for how many periods ahead, and when an old part is dropped (never, once empty, by its age).';

CREATE FUNCTION least_id(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT rpad(lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;
COMMENT ON FUNCTION least_id IS
    'No identifier that was made from this moment on is less: ours begin with their milliseconds (UUID version 7).';
CREATE FUNCTION part_border(relation regclass, key text, moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE format_type(a.atttypid, NULL)
        WHEN 'timestamp with time zone' THEN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS+00')
        WHEN 'uuid' THEN public.least_id(moment)::text
        WHEN 'text' THEN 'evt_' || public.least_id(moment) END
    FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = key
$$;
COMMENT ON FUNCTION part_border IS 'The least value of the key that a row of this moment can have, as text.';
CREATE FUNCTION part_start(period text, moment timestamptz, later integer DEFAULT 0) RETURNS timestamptz
LANGUAGE sql IMMUTABLE AS $$
    SELECT (date_trunc(period, moment AT TIME ZONE 'UTC') + later * ('1 ' || period)::interval) AT TIME ZONE 'UTC'
$$;
CREATE FUNCTION part_suffix(period text, moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT to_char(moment AT TIME ZONE 'UTC', CASE period WHEN 'day' THEN 'YYYY_MM_DD' ELSE 'YYYY_MM' END)
$$;

CREATE FUNCTION make_parts(relation text, moment timestamptz DEFAULT now()) RETURNS TABLE (part text, made boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
    known record; parent regclass; rest regclass; low timestamptz; suffix text; from_key text; to_key text; taken boolean;
BEGIN
    SELECT * INTO STRICT known FROM partitioned_tables() t WHERE t.name = relation;
    parent := format('public.%I', relation)::regclass;
    rest := format('months.%I', relation || '_rest')::regclass;
    FOR later IN 0..known.ahead LOOP
        low := part_start(known.period, moment, later);
        suffix := part_suffix(known.period, low);
        part := relation || '_' || suffix;
        CONTINUE WHEN to_regclass(format('months.%I', part)) IS NOT NULL OR EXISTS (
            -- The first part reaches from the beginning to the end of the period that it is named after.
            SELECT FROM pg_class c WHERE c.relnamespace = 'months'::regnamespace AND c.relkind = 'r'
            AND starts_with(c.relname, relation || '_to_') AND c.relname >= relation || '_to_' || suffix);
        from_key := part_border(parent, known.key, low);
        to_key := part_border(parent, known.key, part_start(known.period, low, 1));
        EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE %I >= %L AND %I < %L)',
                       rest, known.key, from_key, known.key, to_key) INTO taken;
        made := NOT taken; -- rows that came before their part stay in the part for all the rest
        IF made THEN
            EXECUTE format('CREATE %s TABLE months.%I (LIKE %s INCLUDING ALL)', CASE WHEN
                (SELECT c.relpersistence = 'u' FROM pg_class c WHERE c.oid = rest) THEN 'UNLOGGED' ELSE '' END, part, rest);
            EXECUTE format('ALTER TABLE months.%I ENABLE ROW LEVEL SECURITY', part);
            EXECUTE format('ALTER TABLE %s ATTACH PARTITION months.%I FOR VALUES FROM (%L) TO (%L)',
                           parent, part, from_key, to_key);
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION make_parts IS
    'Make the parts of a table for this period and the next; made is false for one whose rows lie in the rest already.';

CREATE FUNCTION drop_parts(relation text, before timestamptz) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
    known record; found record; filled boolean;
BEGIN
    SELECT * INTO STRICT known FROM partitioned_tables() t WHERE t.name = relation;
    IF known.goes = 'never' THEN
        RAISE EXCEPTION 'Parts of % are never dropped.', relation;
    END IF;
    FOR found IN
        SELECT c.oid::regclass AS part, c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = format('public.%I', relation)::regclass AND c.relname <> relation || '_rest'
          AND right(c.relname, length(part_suffix(known.period, before)))
              < part_suffix(known.period, part_start(known.period, before))
        ORDER BY c.relname
    LOOP
        IF known.goes = 'empty' THEN
            EXECUTE format('SELECT EXISTS (SELECT FROM %s)', found.part) INTO filled;
            CONTINUE WHEN filled;
        END IF;
        EXECUTE format('LOCK TABLE public.%I IN ACCESS EXCLUSIVE MODE', relation);
        IF known.goes = 'empty' THEN -- whoever wrote meanwhile has ended
            EXECUTE format('SELECT EXISTS (SELECT FROM %s)', found.part) INTO filled;
            CONTINUE WHEN filled;
        END IF;
        EXECUTE format('DROP TABLE %s', found.part);
        RETURN NEXT found.name;
    END LOOP;
END $$;
COMMENT ON FUNCTION drop_parts IS
    'Drop the parts of a table whose period was over before: by age all of them, or those in which retention left no row.';

CREATE FUNCTION rows_without_part() RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
    known record; filled boolean;
BEGIN
    FOR known IN SELECT * FROM partitioned_tables() WHERE goes <> 'by age' LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM months.%I)', known.name || '_rest') INTO filled;
        IF filled THEN
            RETURN NEXT known.name;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION rows_without_part IS
    'Tables with rows for which no part was there in time, but for those whose rows go by their age anyway.';

REVOKE EXECUTE ON FUNCTION make_parts(text, timestamptz), drop_parts(text, timestamptz), rows_without_part() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION make_parts(text, timestamptz), drop_parts(text, timestamptz), rows_without_part()
    TO truename_system;

CREATE FUNCTION pg_temp.into_parts(relation text, key text, period text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    old text; old_id oid; rest text; border text; one record; persistence text;
BEGIN
    old := format('months.%I', relation || '_to_' || part_suffix(period, now()));
    rest := format('months.%I', relation || '_rest');
    old_id := format('public.%I', relation)::regclass;
    border := part_border(old_id, key, part_start(period, now(), 1));
    SELECT CASE relpersistence WHEN 'u' THEN 'UNLOGGED' ELSE '' END INTO persistence FROM pg_class WHERE oid = old_id;

    CREATE TEMPORARY TABLE pointing ON COMMIT DROP AS
        SELECT c.conrelid::regclass::text AS child, c.conname AS name, pg_get_constraintdef(c.oid) AS definition
        FROM pg_constraint c WHERE c.contype = 'f' AND c.confrelid = old_id AND c.conparentid = 0;
    FOR one IN SELECT * FROM pointing LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.child, one.name);
    END LOOP;

    EXECUTE format('ALTER TABLE public.%I SET SCHEMA months', relation);
    EXECUTE format('ALTER TABLE months.%I RENAME TO %I', relation, relation || '_to_' || part_suffix(period, now()));
    EXECUTE format('CREATE TABLE public.%I (LIKE %s INCLUDING ALL EXCLUDING INDEXES) PARTITION BY RANGE (%I)',
                   relation, old, key);
    EXECUTE format('CREATE %s TABLE %s (LIKE %s INCLUDING ALL)', persistence, rest, old);
    EXECUTE format('COMMENT ON TABLE public.%I IS %L', relation, obj_description(old_id, 'pg_class'));
    FOR one IN -- keys that hold the column, and where the rows point to
        SELECT c.conname, pg_get_constraintdef(c.oid) AS definition FROM pg_constraint c
        WHERE c.conrelid = old_id AND c.conparentid = 0 AND (c.contype = 'f' OR c.contype IN ('p', 'u') AND
            (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = old_id AND a.attname = key) = ANY (c.conkey))
    LOOP
        EXECUTE format('ALTER TABLE public.%I ADD CONSTRAINT %I %s', relation, one.conname, one.definition);
    END LOOP;
    FOR one IN -- other indexes; a unique one without the column stays one of each part
        SELECT replace(pg_get_indexdef(i.indexrelid), ' ON ' || old || ' ', format(' ON public.%I ', relation)) AS definition
        FROM pg_index i WHERE i.indrelid = old_id AND NOT i.indisunique
    LOOP
        EXECUTE one.definition;
    END LOOP;

    EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', relation);
    EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', relation);
    EXECUTE format($policy$CREATE POLICY own_account ON public.%I TO truename_app
        USING (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)
        WITH CHECK (account_id = nullif(current_setting('truename.account_id', true), '')::uuid)$policy$, relation);
    EXECUTE format('CREATE POLICY whole_house ON public.%I TO truename_system USING (true) WITH CHECK (true)', relation);
    EXECUTE format('DROP POLICY own_account ON %s', old);
    EXECUTE format('DROP POLICY whole_house ON %s', old);
    EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', old);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', rest);
    FOR one IN
        SELECT g.grantee::regrole AS grantee, string_agg(g.privilege_type, ', ') AS rights
        FROM pg_class c, aclexplode(c.relacl) g
        WHERE c.oid = old_id AND g.grantee IN ('truename_app'::regrole, 'truename_system'::regrole) GROUP BY g.grantee
    LOOP
        EXECUTE format('GRANT %s ON public.%I TO %s', one.rights, relation, one.grantee);
        EXECUTE format('REVOKE ALL ON %s FROM %s', old, one.grantee);
    END LOOP;

    -- Ids that were not made by our clock, if there are any, belong to no month.
    EXECUTE format('WITH gone AS (DELETE FROM %s WHERE %I >= %L RETURNING *) INSERT INTO %s SELECT * FROM gone',
                   old, key, border, rest);
    EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO (%L)', relation, old, border);
    EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION %s DEFAULT', relation, rest);
    FOR one IN SELECT * FROM pointing LOOP
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', one.child, one.name, one.definition);
    END LOOP;
    DROP TABLE pointing;
END $$;

-- All at once or not yet: whoever waits for one of these tables while it holds another would otherwise block us, or we it.
DO $$
BEGIN
    SET LOCAL lock_timeout = '700ms'; -- less than what it takes to look for a deadlock
    FOR attempt IN 1..200 LOOP
        BEGIN
            LOCK TABLE accounts, customers, transactions, webhook_events, faces IN SHARE ROW EXCLUSIVE MODE;
            LOCK TABLE examinations, captures, device_signals, consents, receipts, webhook_attempts, audit_log, request_log
                IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            IF attempt = 200 THEN
                RAISE EXCEPTION 'The tables were in use without a break for minutes: migrate again when less is asked of them.';
            END IF;
            PERFORM pg_sleep(0.2);
        END;
    END LOOP;
    SET LOCAL lock_timeout = 0;
END $$;
SELECT pg_temp.into_parts(name, key, period) FROM partitioned_tables();
SELECT make_parts(name) FROM partitioned_tables();
DROP FUNCTION pg_temp.into_parts(text, text, text);

-- What retention looks for among what approvals enrolled: without these it read all faces and records of an account.
-- An approval looks for the live face of its transaction: without an index it read all faces.
CREATE INDEX faces_by_transaction ON faces (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX faces_by_age ON faces (account_id, created_at) WHERE transaction_id IS NOT NULL;
CREATE INDEX customers_by_record ON customers (account_id, record_transaction_id) WHERE record_transaction_id IS NOT NULL;
