-- No face search is built: a choice of one in an account's settings promised what nothing did.

SET LOCAL ROLE truename_system;
UPDATE accounts SET settings = jsonb_set(settings, '{face_search}', '"off"')
WHERE settings ->> 'face_search' IN ('report', 'enforce');
RESET ROLE;
