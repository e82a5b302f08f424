-- Old and new templates stand side by side while `truename models use` makes the new ones.

ALTER TABLE faces ADD COLUMN next_model_sha256 text;
ALTER TABLE faces ADD COLUMN sealed_next_template bytea;
