"""Is every tenant's data behind row-level security, whoever adds a table?"""

import re
from pathlib import Path

from truename.sandbox.clock import AGES, STAYS

SHARED = {
    *("signing_keys", "receipt_keys", "system_secrets", "rate_limits", "closed_buckets", "alembic_version"),
    *("operators", "operator_passkeys", "operator_sessions", "operator_challenges"),
}
"""Tables of the whole house, with the reason in their migration: no row of them belongs to an account."""
SOURCE = Path(__file__).parents[2] / "src" / "truename"


async def rows(plumbing, query):
    async with plumbing.database.system() as connection:
        return await (await connection.execute(query)).fetchall()


async def test_every_table_belongs_to_accounts_or_to_the_short_list(plumbing):
    tables = await rows(
        plumbing,
        """SELECT c.relname, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id'
                                     AND NOT a.attisdropped AND a.attnotnull) AS tenant,
                  c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced
           FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace""",
    )
    assert len(tables) > 15
    for table in tables:
        name = table["relname"]
        assert table["tenant"] != (name in SHARED), f"{name} has no account_id and is not on the list"
        if table["tenant"]:
            assert table["enabled"], f"row-level security is off on {name}"
            assert table["forced"], f"row-level security is not forced on {name}"


async def test_every_tenant_table_has_exactly_our_two_policies(plumbing):
    policies = await rows(
        plumbing,
        """SELECT tablename, policyname, roles::text[] AS roles, qual, with_check, cmd
           FROM pg_policies WHERE schemaname = 'public'""",
    )
    tables = {one["tablename"] for one in policies}
    for table in tables:
        found = {one["policyname"]: one for one in policies if one["tablename"] == table}
        assert found.keys() == {"own_account", "whole_house"}, table
        own, whole = found["own_account"], found["whole_house"]
        assert (own["roles"], whole["roles"]) == (["truename_app"], ["truename_system"])
        assert own["qual"] == own["with_check"]
        assert "current_setting('truename.account_id'" in own["qual"]
        assert own["cmd"] == whole["cmd"] == "ALL"
    tenants = await rows(plumbing, "SELECT relname FROM pg_class WHERE relforcerowsecurity")
    assert {one["relname"] for one in tenants} == tables


async def test_the_applications_roles_stand_below_row_level_security(plumbing):
    roles = await rows(plumbing, "SELECT * FROM pg_roles WHERE rolname IN ('truename_app', 'truename_system')")
    assert len(roles) == 2
    for role in roles:
        for right in ("rolsuper", "rolbypassrls", "rolcreaterole", "rolcreatedb", "rolcanlogin", "rolinherit"):
            assert role[right] is False, f"{role['rolname']} has {right}"
    owned = await rows(
        plumbing, "SELECT relname FROM pg_class WHERE relowner IN ('truename_app'::regrole, 'truename_system'::regrole)"
    )
    assert owned == []


async def test_every_connection_has_stepped_down(plumbing):
    async with plumbing.database.pool.connection() as connection:
        row = await (await connection.execute("SELECT current_user AS role")).fetchone()
    assert row == {"role": "truename_app"}


async def test_no_table_is_left_out_of_the_indexes_that_foreign_keys_need(plumbing):
    """A foreign key without an index on its side makes every deletion read the whole table."""
    missing = await rows(
        plumbing,
        """SELECT c.conrelid::regclass::text AS name, c.conname FROM pg_constraint c
           WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace AND c.confrelid <> 'accounts'::regclass
             AND c.conparentid = 0
             AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1])""",
    )
    assert {(one["name"], one["conname"]) for one in missing} <= TOLERATED


TOLERATED = {
    ("faces", "faces_media_id_fkey"),
    ("seen_frames", "seen_frames_transaction_id_fkey"),
    ("biometric_attempts", "biometric_attempts_transaction_id_fkey"),
}
"""Never looked up from that side: neither transactions nor media are deleted row by row."""


async def test_parts_of_tables_are_reached_by_their_table_alone(plumbing):
    """A part has no policies of its own: who could name it would see the rows of every account."""
    parts = await rows(
        plumbing,
        """SELECT c.oid::regclass::text AS part, c.relrowsecurity, c.relnamespace = 'months'::regnamespace AS apart,
                  c.relacl::text ~ 'truename_' AS granted, has_schema_privilege('truename_app', 'months', 'USAGE')
                  OR has_schema_privilege('truename_system', 'months', 'USAGE') AS enters
           FROM pg_class c WHERE c.relispartition AND c.relkind = 'r'""",
    )
    assert len(parts) > 20
    for one in parts:
        assert (one["apart"], one["granted"] or one["enters"], one["relrowsecurity"]) == (True, False, True), one[
            "part"
        ]
    listed = await rows(plumbing, "SELECT name FROM partitioned_tables() ORDER BY name")
    there = await rows(plumbing, "SELECT relname AS name FROM pg_class WHERE relkind = 'p' ORDER BY relname")
    assert listed == there


def test_status_of_a_transaction_is_written_in_one_place_only():
    writes = re.compile(r"UPDATE\s+transactions\b(.*?)(?:WHERE|RETURNING|\"\"\"|\Z)", re.IGNORECASE | re.DOTALL)
    lifecycle = SOURCE / "transactions" / "lifecycle.py"
    guilty = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if path != lifecycle
        and any(re.search(r"\bstatus\s*=", what) for what in writes.findall(path.read_text(encoding="utf-8")))
    ]
    assert guilty == []
    assert writes.search(lifecycle.read_text(encoding="utf-8"))


async def test_every_time_of_an_account_grows_older_in_a_sandbox_or_says_why_not(plumbing):
    found = await rows(
        plumbing,
        """SELECT c.table_name, c.column_name FROM information_schema.columns c
           WHERE c.table_schema = 'public' AND (c.data_type LIKE 'timestamp%' OR c.data_type = 'date')
             AND EXISTS (SELECT 1 FROM information_schema.columns a WHERE a.table_schema = 'public'
                         AND a.table_name = c.table_name AND a.column_name = 'account_id')""",
    )
    there = {(row["table_name"], row["column_name"]) for row in found}
    ages = {(table, column) for table, columns in AGES for column in columns}
    stays = {(table, column) for table, columns, _ in STAYS for column in columns}
    assert ages & stays == set()
    assert there - ages - stays == set(), "a new time: name it in sandbox/clock.py, in AGES or in STAYS"
    assert (ages | stays) - there == set()
