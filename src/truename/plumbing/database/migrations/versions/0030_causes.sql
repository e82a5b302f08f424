-- A job and an event keep the request that has caused them, and its place in a trace.

ALTER TABLE jobs.procrastinate_jobs ADD COLUMN cause text;
ALTER TABLE jobs.procrastinate_jobs ALTER COLUMN cause SET DEFAULT nullif(current_setting('truename.cause', true), '');
COMMENT ON COLUMN jobs.procrastinate_jobs.cause IS 'The id of the request, and the traceparent of its span where there is one.';
ALTER TABLE webhook_events ADD COLUMN cause text;
ALTER TABLE webhook_events ALTER COLUMN cause SET DEFAULT nullif(current_setting('truename.cause', true), '');
COMMENT ON COLUMN webhook_events.cause IS 'The id of the request, and the traceparent of its span where there is one.';
