"""THE LIST of where something of a person may be kept, how it is protected there, and when it goes.

Every column of every table stands here, also those that hold nothing of a person: a test compares the list with the
live schema, so that a new column fails until somebody has thought about it. `docs/reference/personal-data.md` is
written from it, and one test puts canaries in, erases, and looks everywhere that it names.
"""

# ruff: noqa: E501 - one line for each row of the list

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kept(StrEnum):
    """In which form something is kept."""

    SEALED = "sealed under the customer's key"
    SEALED_BY_DAY = "sealed under the customer's key, or a key of account and day where it is about nobody"
    SEALED_BY_ENTRY = "sealed under a key of the entry"
    TURNED = "turned by a secret rotation, not sealed"
    KEY = "wrapped under the master key"
    PLAIN = "plain"
    KEYED_HASH = "keyed hash"
    NOT_PERSONAL = "nothing of a person"


class Goes(StrEnum):
    """What becomes of it."""

    ROW_DELETED = "row deleted at once"
    EMPTIED = "emptied at once"
    REDUCED = "reduced to bare facts at once"
    KEY_DESTROYED = "unreadable at once: its key is destroyed"
    WHEN_TOLD = (
        "cut when the last event was told or given up, 4 days after it at most (10 where receivers ask for more)"
    )
    BY_JOB = "deleted by a job queued in the same database transaction"
    STAYS = "stays"
    WITH_CUSTOMER = "stays until the customer is erased"
    ENROLLED = "stays if it is the customer's reference, else row deleted at once; retention deletes it either way"
    RETENTION = "stays; retention empties it"
    LISTED = "row deleted at once if it was taken from this customer; one made of a picture stays until it is removed"
    UNTIL_REMOVED = "stays until it is removed, ends (`expires_at`), or its customer is erased"
    AFTER_A_DAY = "24 hours after it was made, if not before"
    AFTER_A_WEEK = "7 days after it was made (`TRUENAME_REQUEST_LOG_DAYS`)"
    AFTER_AN_HOUR = "an hour after the last call"


@dataclass(frozen=True, slots=True)
class Column:
    """Some columns of one table that share a fate."""

    table: str
    columns: tuple[str, ...]
    holds: str
    kept: Kept
    erasure: Goes
    redaction: Goes


def _of(table: str, columns: str, holds: str, kept: Kept, erasure: Goes, redaction: Goes) -> Column:
    return Column(table, tuple(columns.split()), holds, kept, erasure, redaction)


def _bare(table: str, columns: str, holds: str = "identifiers, codes, counts and times") -> Column:
    return _of(table, columns, holds, Kept.NOT_PERSONAL, Goes.STAYS, Goes.STAYS)


COLUMNS: Final[tuple[Column, ...]] = (
    # ── the person ───────────────────────────────────────────────────────────────────────────────────────────
    _of("customers", "external_customer_id", "the integrator's identifier of the person", Kept.PLAIN, Goes.EMPTIED, Goes.WITH_CUSTOMER),
    _of("customers", "data_key", "the key of all that is sealed (or, with a database of keys, the note that it is there)", Kept.KEY, Goes.EMPTIED, Goes.WITH_CUSTOMER),
    _of("customers", "sealed_profile", "e-mail, phone number", Kept.SEALED, Goes.EMPTIED, Goes.WITH_CUSTOMER),
    _of("customers", "sealed_record", "names, gender and birth date of the last approved document", Kept.SEALED, Goes.EMPTIED, Goes.RETENTION),
    _bare("customers", "customer_id account_id status reference_face_id record_transaction_id created_at erased_at"),
    _of("faces", "sealed_template", "a face template", Kept.SEALED, Goes.ROW_DELETED, Goes.ENROLLED),
    _of("faces", "sealed_next_template", "a face template by the recipe that is about to be used", Kept.SEALED, Goes.ROW_DELETED, Goes.ENROLLED),
    _bare("faces", "face_id account_id customer_id transaction_id origin media_id usable reason model_sha256 next_model_sha256 created_at"),
    _of("face_vectors", "vector", "a face template, turned by a rotation that is the account's secret; only where face search is on, and of blocklists", Kept.TURNED, Goes.ROW_DELETED, Goes.ENROLLED),
    _bare("face_vectors", "account_id model_sha256 face_id entry_id"),
    _bare("face_search_counts", "account_id model_sha256 enrolled graph counted_at", "how many faces can be searched"),
    _of("blocklist_entries", "data_key", "the key of all that is sealed of the entry", Kept.KEY, Goes.LISTED, Goes.UNTIL_REMOVED),
    _of("blocklist_entries", "sealed_reason sealed_picture sealed_template", "a face that is not to be let in again, and why", Kept.SEALED_BY_ENTRY, Goes.LISTED, Goes.UNTIL_REMOVED),
    _bare("blocklist_entries", "entry_id account_id customer_id model_sha256 added_by created_at expires_at"),
    _bare("media", "media_id account_id customer_id transaction_id kind content_type size width height storage_key created_at redacted_at", "that there was a picture, how large, and the identifiers under which it lay"),
    # ── one verification ─────────────────────────────────────────────────────────────────────────────────────
    _of("transactions", "sealed_matching", "whom the integrator expects: names, gender, birth date, document", Kept.SEALED, Goes.EMPTIED, Goes.EMPTIED),
    _of("transactions", "issues", "details of issues: countries, expected ages", Kept.PLAIN, Goes.REDUCED, Goes.REDUCED),
    _of("transactions", "config", "expected gender and ages; the webhook's address, whose query may hold anything", Kept.PLAIN, Goes.WHEN_TOLD, Goes.REDUCED),
    _of("transactions", "config_sent", "the same, as the integrator sent it", Kept.PLAIN, Goes.WHEN_TOLD, Goes.REDUCED),
    _bare("transactions", "transaction_id account_id customer_id transaction_type status sequence created_at started_at submitted_at completed_at expires_at outcome decided_by decided_at checks fraud_signs redacted_at", "that a check took place, when, and how it ended; scores"),
    _of("examinations", "sealed_dossier", "everything that was read and seen", Kept.SEALED, Goes.ROW_DELETED, Goes.ROW_DELETED),
    _bare("examinations", "transaction_id account_id customer_id engine judged_at"),
    _of("captures", "chosen", "country and type of the person's document", Kept.PLAIN, Goes.ROW_DELETED, Goes.ROW_DELETED),
    _bare("captures", "transaction_id account_id slot takes usable reasons media challenge back_needed taken_at"),
    _of("seen_frames", "fingerprint", "256 bits of what a frame of the face shows, against replays", Kept.PLAIN, Goes.ROW_DELETED, Goes.ROW_DELETED),
    _bare("seen_frames", "account_id customer_id transaction_id at"),
    _bare("challenges", "nonce_hash transaction_id account_id steps created_at expires_at used_at"),
    _of("device_signals", "sealed", "device, position and addresses", Kept.SEALED, Goes.ROW_DELETED, Goes.ROW_DELETED),
    _bare("device_signals", "transaction_id account_id reported seen_at"),
    _of("handoffs", "sealed_origin", "the device and place where the capture began", Kept.SEALED, Goes.ROW_DELETED, Goes.ROW_DELETED),
    _bare("handoffs", "handoff_hash account_id transaction_id match_number phone_jti state created_at seen_at expires_at"),
    _of("consents", "language", "the language in which the person was asked", Kept.PLAIN, Goes.REDUCED, Goes.REDUCED),
    _bare("consents", "transaction_id account_id given text_version at", "that the person agreed, to which text and when"),
    _bare("biometric_attempts", "attempt_id account_id customer_id transaction_id at"),
    _of("review_opinions", "sealed_note", "what a reviewer wrote about the person", Kept.SEALED, Goes.EMPTIED, Goes.EMPTIED),
    _bare("review_opinions", "opinion_id account_id transaction_id reviewer state outcome reason seen taken_at decided_at finalise_at finalised_at", "who decided what, for which reason of a fixed list, and what was shown"),
    _bare("review_answers", "answer_id account_id transaction_id reviewer question answer confidence blind answered_at", "what a reviewer answered"),
    _bare("review_cases", "transaction_id account_id holder held_until version passed_by assigned_to assigned_until taken_at"),
    _bare("review_samples", "transaction_id account_id state outcome reviewer chosen_at settled_at", "that an approval was looked at again, and what a person said"),
    _bare("review_controls", "transaction_id account_id truth said_at", "that a sandbox's case is a control pair, and whether of one person"),
    _of("search_keys", "key", "words of names, numbers of documents, the device, its address, and groups (country, type, age band, kind of device): to search, to link and to count by", Kept.KEYED_HASH, Goes.ROW_DELETED, Goes.ROW_DELETED),
    _bare("search_keys", "account_id transaction_id customer_id kind"),
    # ── what was told and done ───────────────────────────────────────────────────────────────────────────────
    _of("webhook_events", "body", "the integrator's identifier of the person", Kept.PLAIN, Goes.REDUCED, Goes.WITH_CUSTOMER),
    _of("webhook_events", "url", "the webhook's address, whose query may hold anything", Kept.PLAIN, Goes.WHEN_TOLD, Goes.WITH_CUSTOMER),
    _bare("webhook_events", "event_id account_id transaction_id sequence type state attempts next_attempt_at queued_at created_at cause"),
    _bare("webhook_attempts", "attempt_id account_id event_id number at took_ms status_code outcome error"),
    _of("idempotent_answers", "sealed", "an answer, to be repeated", Kept.SEALED_BY_DAY, Goes.EMPTIED, Goes.EMPTIED),
    _of("idempotent_answers", "key_hash fingerprint", "the caller's key and the body", Kept.KEYED_HASH, Goes.AFTER_A_DAY, Goes.AFTER_A_DAY),
    _bare("idempotent_answers", "account_id client_id status sealed_on customer_id transaction_id created_at"),
    _of("audit_log", "sealed_reason", "why somebody acted, in free text", Kept.SEALED, Goes.KEY_DESTROYED, Goes.WITH_CUSTOMER),
    _bare("audit_log", "audit_id account_id sequence at actor action subject details hash", "who did what to which identifier"),
    _of("audit_log_before_chain", "details", "reasons in free text from before the log was a chain: the first start after the upgrade empties the table", Kept.PLAIN, Goes.STAYS, Goes.STAYS),
    _bare("audit_log_before_chain", "audit_id account_id at actor action subject"),
    _of("rate_limits", "bucket", "addresses that open hand-offs and demos or sign in, and e-mail addresses that are tried", Kept.KEYED_HASH, Goes.AFTER_AN_HOUR, Goes.AFTER_AN_HOUR),
    _bare("rate_limits", "tat granted"),
    _of("request_log", "request_id", "what the caller called its request", Kept.PLAIN, Goes.AFTER_A_WEEK, Goes.AFTER_A_WEEK),
    _bare("request_log", "account_id at method path status took_ms client code subject sent answered", "that a request was made; names and types of members, no values"),
    # ── the house itself ─────────────────────────────────────────────────────────────────────────────────────
    _bare("audit_heads", "account_id count hash mac"),
    _bare("accounts", "account_id name settings created_at livemode sandbox_of clock_advanced_seconds", "the integrator, and what it has set"),
    _bare("clients", "client_id account_id name secret_hash scopes created_at revoked_at rotated_at previous_secret_hash previous_expires_at", "programs of the integrator"),
    _of("operators", "email name time_zone", "the person who works in the dashboard: your own staff", Kept.PLAIN, Goes.STAYS, Goes.STAYS),
    _bare("operators", "operator_id password_hash password_changed_at password_given_at totp_sealed totp_last_step totp_confirmed_at recovery_hashes single_keys compact created_at disabled_at", "how an operator signs in: argon2id hash, sealed secret, keyed hashes"),
    _bare("operator_passkeys", "credential_id operator_id public_key sign_count name created_at used_at"),
    _of("operator_sessions", "address place browser", "from where an operator signed in", Kept.PLAIN, Goes.STAYS, Goes.STAYS),
    _bare("operator_sessions", "session_id token_hash operator_id current_account second_factor created_at seen_at ended_at"),
    _bare("operator_challenges", "challenge_hash purpose operator_id tries expires_at"),
    _bare("operator_roles", "operator_id account_id role granted_at"),
    _bare("failed_sign_ins", "account_id subject reason count first_at"),
    _bare("closed_buckets", "bucket closed_at"),
    _bare("saved_views", "view_id account_id operator_id name query shared created_at", "filters of a list under a name; never what was searched for"),
    _bare("statistics_hours", "account_id hour measure label count", "how many transactions, by the hour"),
    _bare("statistics_progress", "account_id until"),
    _bare("webhook_secrets", "secret_id account_id sealed created_at expires_at"),
    _bare("signing_keys", "kid public_jwk sealed created_at retired_at"),
    _bare("receipt_keys", "kid public_jwk sealed created_at retired_at"),
    _bare("receipts", "transaction_id account_id jws kid issued_at", "a signed statement of the decision: codes, keyed hashes, times"),
    _bare("backtests", "backtest_id account_id status mode config since until transaction_type total done result created_at finished_at", "a policy, counts, and identifiers of transactions that it would have decided otherwise"),
    _bare("default_policies", "policy_id account_id policy note state drafted_by drafted_at decided_by decided_at effective_from", "what fills the configs of new transactions, and which operator agreed to it"),
    _bare("system_secrets", "name sealed created_at"),
    _bare("alembic_version", "version_num"),
    # ── work to do: arguments are identifiers only ───────────────────────────────────────────────────────────
    _bare("jobs.procrastinate_jobs", "id queue_name task_name priority lock queueing_lock args status scheduled_at attempts abort_requested worker_id cause"),
    _bare("jobs.procrastinate_events", "id job_id type at"),
    _bare("jobs.procrastinate_periodic_defers", "id task_name defer_timestamp job_id periodic_id"),
    _bare("jobs.procrastinate_workers", "id last_heartbeat"),
    _bare("jobs.later", "later_id run_at name args lock priority"),
    _bare("jobs.ticks", "name last_at"),
    _bare("jobs.pace", "queue minute done", "how many jobs were done in a minute"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere outside the tables."""

    where: str
    holds: str
    kept: Kept
    erasure: str
    redaction: str


PLACES: Final[tuple[Place, ...]] = (
    Place(
        "store of objects, `ACCOUNT/CUSTOMER/MEDIA`",
        "pictures of documents and faces",
        Kept.SEALED,
        "unreadable at once, deleted by a job that is repeated until done; everything under `ACCOUNT/CUSTOMER/`",
        "deleted by a job that is repeated until done",
    ),
    Place(
        "database of keys (`TRUENAME_KEYS_DATABASE_URL`), table `customer_keys`",
        "the key of all that is sealed, where the setting is used",
        Kept.KEY,
        "deleted by a job that is repeated until done; the table is then rewritten, so that no dead row stays",
        "stays until the customer is erased",
    ),
    Place(
        "files of PostgreSQL: dead rows",
        "earlier versions of every row above",
        Kept.PLAIN,
        "stay in the table's file until PostgreSQL reuses their room; at once by `VACUUM FULL`",
        "as with erasure",
    ),
    Place(
        "files of PostgreSQL: write-ahead log",
        "everything that was written lately",
        Kept.PLAIN,
        "until PostgreSQL has reused the segment, by default within about 1 GB of further writing",
        "as with erasure",
    ),
    Place(
        "backups that you take",
        "whatever the database and the store held then",
        Kept.PLAIN,
        "until you discard them; with a database of keys, what is sealed: unreadable once the backups of *that* are discarded",
        "until you discard them",
    ),
    Place(
        "log of the service",
        "identifiers, codes, times; never a body, query, address or what a library said about a value",
        Kept.NOT_PERSONAL,
        "stays",
        "stays",
    ),
    Place(
        "log of PostgreSQL (the embedded one: `postgres.log`)",
        "messages without statements and details",
        Kept.NOT_PERSONAL,
        "stays",
        "stays",
    ),
    Place(
        "memory of the processes",
        "what is being worked on; the sample of the policy lab for at most 10 minutes; nothing else from one request to "
        "the next",
        Kept.PLAIN,
        "ends with the request; a sample at most 10 minutes later",
        "as with erasure",
    ),
)
