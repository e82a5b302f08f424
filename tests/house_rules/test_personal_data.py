"""Does the list of where a person is kept name every place there is?"""

from tools.personal_data_docs import PAGE, page

from truename.privacy.personal_data import COLUMNS, Kept

LIVE = """
SELECT CASE n.nspname WHEN 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END AS relation,
       a.attname AS name,
       format_type(a.atttypid, NULL) AS type
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
"""


async def live_columns(plumbing) -> dict[tuple[str, str], str]:
    async with plumbing.database.system() as connection:
        cursor = await connection.execute(LIVE)
        return {(row["relation"], row["name"]): row["type"] for row in await cursor.fetchall()}


async def test_every_column_of_every_table_is_on_the_list(plumbing):
    listed = [(row.table, name) for row in COLUMNS for name in row.columns]
    assert len(listed) == len(set(listed)), "a column is listed twice"
    live = await live_columns(plumbing)
    assert live.keys() - set(listed) == set(), "say in privacy/personal_data.py what these columns hold of a person"
    assert set(listed) - live.keys() == set(), "these columns are gone: take them off the list"


async def test_what_is_called_sealed_is_listed_as_sealed(plumbing):
    """And the other way round: nothing that is listed as sealed is a text."""
    live = await live_columns(plumbing)
    of_the_house = {"webhook_secrets", "signing_keys", "receipt_keys", "system_secrets"}
    for row in COLUMNS:
        for name in row.columns:
            sealed = row.kept in (Kept.SEALED, Kept.SEALED_BY_DAY, Kept.SEALED_BY_ENTRY)
            named = name.startswith("sealed") and name != "sealed_on" and row.table not in of_the_house
            assert sealed == named, (row.table, name)
            assert not sealed or live[row.table, name] == "bytea"


def test_the_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"
