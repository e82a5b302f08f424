-- Accounts share the workers of a queue fairly, and how fast a queue is worked off is known.

CREATE FUNCTION jobs.fair_priority(queue text, account text) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT least(
        coalesce((SELECT max(priority) FROM jobs.procrastinate_jobs
                  WHERE queue_name = queue AND status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now())), 0),
        (SELECT min(priority) - 1 FROM jobs.procrastinate_jobs
         WHERE queue_name = queue AND status = 'todo' AND args ->> 'account_id' = account))
$$;
COMMENT ON FUNCTION jobs.fair_priority IS
    'Beside what is taken next, but behind all that the account has waiting: so each account''s next comes before anybody''s next but one.';
CREATE INDEX procrastinate_jobs_by_turn ON jobs.procrastinate_jobs (queue_name, priority DESC, id) WHERE status = 'todo';
CREATE INDEX procrastinate_jobs_by_account ON jobs.procrastinate_jobs (queue_name, (args ->> 'account_id'), priority)
    WHERE status = 'todo';
-- The engine asks for each job whether another has its lock; without this it reads all that wait.
CREATE INDEX procrastinate_jobs_by_lock ON jobs.procrastinate_jobs (lock) WHERE status IN ('todo', 'doing');
CREATE TABLE jobs.pace (
    queue   text NOT NULL,
    minute  timestamptz NOT NULL,
    done    integer NOT NULL,
    PRIMARY KEY (queue, minute)
);
COMMENT ON TABLE jobs.pace IS 'How many jobs of a queue were done in a minute, by all workers together; an hour of it is kept.';
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs.pace TO truename_app, truename_system;
