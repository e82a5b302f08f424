"""Is a log noticed that was put back, shortened or removed as a whole, and does the command say so?"""

import asyncio
import json
import subprocess
from uuid import UUID

from tests.support.chains import a_chain, superuser
from tests.support.served import truename_here
from truename.audit.chain import Head
from truename.audit.model import Action
from truename.audit.record import record
from truename.audit.verify import PAGE, Anchor, read_heads, verify
from truename.cli.exit_codes import ExitCode
from truename.plumbing.database.ids import new_id
from truename.plumbing.resources import Plumbing


async def put_back(house: Plumbing, head: Head) -> None:
    """Forget what was written after this head, as who puts back an earlier copy of the database does."""
    async with await superuser(house) as connection:
        await connection.execute(
            "DELETE FROM audit_log WHERE account_id = %s AND sequence > %s", (head.account_id, head.count)
        )
        await connection.execute(
            "UPDATE audit_heads SET count = %s, hash = %s, mac = %s WHERE account_id = %s",
            (head.count, head.hash, head.mac, head.account_id),
        )


async def head_of(house: Plumbing, account_id: UUID) -> Head:
    async with house.database.system() as connection:
        return (await read_heads(connection))[account_id]


async def deed(house: Plumbing, account_id: UUID, subject: str) -> None:
    async with house.database.account(account_id) as connection:
        await record(connection, account_id, actor="a", action=Action.MEDIA_READ, subject=subject)


async def test_a_database_put_back_is_found_by_an_anchor_kept_elsewhere(house):
    account_id = await a_chain(house, 3)
    before = await head_of(house, account_id)
    await deed(house, account_id, "secret")
    after = await head_of(house, account_id)
    anchors = [Anchor(account_id, head.count, head.hash) for head in (before, after)]
    assert (await verify(house, account_id, anchors)).whole
    await put_back(house, before)
    assert (await verify(house, account_id)).whole
    (found,) = (await verify(house, account_id, anchors)).breaks
    assert "put back" in found.what


async def test_a_database_put_back_and_used_on_is_found_by_an_anchor_however_long_it_has_grown(house):
    account_id = await a_chain(house, 3)
    before = await head_of(house, account_id)
    await deed(house, account_id, "secret")
    after = await head_of(house, account_id)
    await put_back(house, before)
    for number in range(2):
        await deed(house, account_id, f"harmless {number}")
    assert (await verify(house, account_id)).whole
    kept = [Anchor(account_id, head.count, head.hash) for head in (before, after)]
    assert (await verify(house, account_id, kept[:1])).whole
    (found,) = (await verify(house, account_id, kept)).breaks
    assert (found.sequence, found.what) == (after.count, "The line is not the one that the anchor names.")


async def test_a_chain_that_is_gone_with_its_account_is_missed(house):
    """By the installation's line of the account's creation; and by an anchor, were that gone as well."""
    account_id, never_here = await a_chain(house, 1), new_id()
    async with await superuser(house) as connection:  # as if the account had never been
        await connection.execute("SET session_replication_role = replica")
        for table in (b"audit_log", b"audit_heads", b"accounts"):
            await connection.execute(b"DELETE FROM %b WHERE account_id = %%s" % table, (account_id,))

    async def missed(*anchors: Anchor) -> set[UUID]:
        breaks = (await verify(house, None, anchors)).breaks
        return {one.account_id for one in breaks if one.what == "The chain has no head: it was removed."}

    assert await missed() & {account_id, never_here} == {account_id}
    assert never_here in await missed(Anchor(never_here, 3, b"x" * 32))


async def test_a_chain_longer_than_what_is_read_at_once_is_verified_to_its_end(house):
    account_id = await a_chain(house, PAGE + 3)
    found = await verify(house, account_id)
    assert (found.whole, found.lines) == (True, PAGE + 5)
    async with await superuser(house) as connection:
        await connection.execute(
            "UPDATE audit_log SET actor = 'nobody' WHERE account_id = %s AND sequence = %s", (account_id, PAGE + 4)
        )
    (broken,) = (await verify(house, account_id)).breaks
    assert broken.sequence == PAGE + 4


async def test_the_command_says_by_its_end_whether_the_log_is_whole(house, settings, tmp_path):
    account_id = await a_chain(house, 3)
    own = {
        "TRUENAME_DATABASE_URL": house.database.url,
        "TRUENAME_MASTER_KEY": settings.master_key.get_secret_value(),
    }

    async def said(*words: str) -> subprocess.CompletedProcess[str]:
        return await asyncio.to_thread(truename_here, tmp_path / "data", "audit", *words, **own)

    of_one = ("verify", "--account", str(account_id))
    before = await head_of(house, account_id)
    await deed(house, account_id, "secret")
    anchors = tmp_path / "anchors.json"
    anchors.write_text((await said("anchor")).stdout)
    whole = await said(*of_one, "--anchor", str(anchors))
    assert (whole.returncode, whole.stdout) == (ExitCode.OK, "The audit log is whole: 6 lines in 1 chains.\n")
    await put_back(house, before)
    assert (await said(*of_one)).returncode == ExitCode.OK, "by itself a log cannot know that"
    broken = await said(*of_one, "--anchor", str(anchors))
    assert broken.returncode == ExitCode.NEGATIVE
    assert broken.stdout.startswith(f"BROKEN  account {account_id}, line 6: The chain ends after 5 lines")
    async with await superuser(house) as connection:
        await connection.execute("DELETE FROM audit_log WHERE account_id = %s AND sequence = 2", (account_id,))
    told = await said(*of_one, "--json")
    assert told.returncode == ExitCode.NEGATIVE
    answer = json.loads(told.stdout)
    assert (answer["whole"], answer["breaks"][0]["sequence"]) == (False, 2)
    assert (await said("verify")).returncode == ExitCode.NEGATIVE, "one broken chain breaks the whole"
