"""Does an erasure, and a redaction, do to every column what the list of personal data says?"""

from typing import Any, Final
from uuid import UUID

import pytest
from psycopg import sql

from tests.support.people import Person, a_verified_person, key_of
from truename.plumbing.crypto import seals
from truename.plumbing.database.ids import new_id
from truename.plumbing.database.pool import Connection
from truename.privacy.erase import erase
from truename.privacy.personal_data import COLUMNS, Goes
from truename.privacy.redact import redact

REST: Final = (
    ("handoffs", "handoff_hash, account_id, transaction_id, match_number, sealed_origin, expires_at",
     "%(x)s, %(a)s, %(t)s, '42', %(x)s, now()"),
    ("challenges", "nonce_hash, account_id, transaction_id, steps, expires_at", "%(x)s, %(a)s, %(t)s, '{}', now()"),
    ("search_keys", "account_id, key, transaction_id, customer_id", "%(a)s, %(x)s, %(t)s, %(c)s"),
    ("biometric_attempts", "attempt_id, account_id, customer_id, transaction_id", "%(id)s, %(a)s, %(c)s, %(t)s"),
    ("consents", "transaction_id, account_id, given, text_version, language", "%(t)s, %(a)s, true, '1', 'qu'"),
    ("review_opinions", "opinion_id, account_id, transaction_id, reviewer, state, outcome, reason, sealed_note, seen, "
     "finalise_at", "%(id)s, %(a)s, %(t)s, 'ana', 'FINAL', 'REJECTED', 'OTHER', %(x)s, '{}', now()"),
    ("idempotent_answers", "account_id, client_id, key_hash, status, sealed, sealed_on, customer_id, transaction_id",
     "%(a)s, 'c', %(x)s, 200, %(x)s, now(), %(c)s, %(t)s"),
)  # fmt: skip
"""What `a_verified_person` has not: a row in each further table that tells of a person."""
ALSO_DELETED: Final = {"challenges": {"erase", "redact"}, "biometric_attempts": {"erase"}}
"""Tables whose rows hold nothing of a person by themselves, and go all the same."""
EXPECTED: Final = """
UPDATE transactions SET config = jsonb_set(config, '{biometric_policy}', %(told)s), config_sent = %(sent)s,
       sealed_matching = %(x)s WHERE transaction_id = %(t)s
"""


@pytest.fixture(params=["erase", "redact"])
def work(request) -> str:
    return request.param


async def a_person_in_every_table(plumbing, account) -> Person:
    person = await a_verified_person(plumbing, account)
    key = await key_of(plumbing, account, person.customer_id)
    own = {"a": account.account_id, "c": person.customer_id, "t": person.transaction_id, "id": new_id(), "x": b"x" * 9}
    told = '{"expected_gender": "FEMALE", "expected_min_age": 31, "expected_max_age": 33}'
    async with plumbing.database.account(account.account_id) as connection:
        for table, columns, values in REST:
            await connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})", own)
        await connection.execute(EXPECTED, {**own, "told": told, "sent": f'{{"biometric_policy": {told}}}'})
        await connection.execute(
            "UPDATE customers SET sealed_record = %s, record_transaction_id = %s WHERE customer_id = %s",
            (key.seal(b"{}", seals.DOCUMENT_RECORD), person.transaction_id, person.customer_id),
        )
    return person


async def rows_of(connection: Connection, table: str, person: Person) -> list[dict[str, Any]]:
    names = {name for row in COLUMNS if row.table == table for name in row.columns}
    column = "customer_id" if table == "customers" else "transaction_id"
    assert column in names, table
    wanted: UUID = person.customer_id if table == "customers" else person.transaction_id
    query = sql.SQL("SELECT * FROM {} WHERE {} = %s").format(sql.Identifier(table), sql.Identifier(column))
    return await (await connection.execute(query, (wanted,))).fetchall()


def listed(work: str, *fates: Goes) -> dict[str, set[str]]:
    """By table the columns that have one of these fates; those of face search and blocklists have their own tests."""
    found: dict[str, set[str]] = {}
    for row in COLUMNS:
        if (row.erasure if work == "erase" else row.redaction) in fates and row.table != "face_vectors":
            found.setdefault(row.table, set()).update(row.columns)
    return found


async def test_what_the_list_calls_deleted_or_emptied_is_gone_at_once_and_was_there_before(plumbing, an_account, work):
    person = await a_person_in_every_table(plumbing, an_account)
    own = an_account.account_id
    deleted = {*listed(work, Goes.ROW_DELETED, *([Goes.ENROLLED] if work == "redact" else []))}
    deleted |= {table for table, works in ALSO_DELETED.items() if work in works}
    emptied = listed(work, Goes.EMPTIED)
    assert deleted >= {"faces", "examinations", "captures", "seen_frames", "device_signals", "handoffs", "search_keys"}
    async with plumbing.database.account(own) as connection:
        before = {table: await rows_of(connection, table, person) for table in deleted | set(emptied)}
        assert {table for table, rows in before.items() if not rows} == set(), "nobody is in these tables"
        for table, columns in emptied.items():
            assert {name for name in columns if before[table][0][name] is None} == set(), table
        if work == "erase":
            await erase(connection, own, person.customer_id, actor="test")
        else:
            await redact(connection, own, person.transaction_id, actor="test")
    async with plumbing.database.account(own) as connection:
        after = {table: await rows_of(connection, table, person) for table in deleted | set(emptied)}
    assert {table for table in deleted if after[table]} == set()
    for table, columns in emptied.items():
        assert {name for name in columns if after[table][0][name] is not None} == set(), table


async def test_what_the_list_calls_reduced_keeps_nothing_of_the_person(plumbing, an_account, work):
    person = await a_person_in_every_table(plumbing, an_account)
    own = an_account.account_id
    async with plumbing.database.account(own) as connection:
        if work == "erase":
            await erase(connection, own, person.customer_id, actor="test")
        else:
            await redact(connection, own, person.transaction_id, actor="test")
        (row,) = await rows_of(connection, "transactions", person)
        (consent,) = await rows_of(connection, "consents", person)
    for config in (row["config"], row["config_sent"]):
        policy = config["biometric_policy"]
        assert {policy.get(f"expected_{name}") for name in ("gender", "min_age", "max_age")} == {None}
    assert [issue["details"] for issue in row["issues"]] == [{"reason": "FAR"}]
    assert consent["language"] == "und"
