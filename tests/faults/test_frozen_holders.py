"""A process stops within a transaction, or its machine is cut off: how long do those wait who need its locks?"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import textwrap

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from truename.audit.model import Action
from truename.audit.record import record
from truename.plumbing.database import pool
from truename.plumbing.database.pool import NETWORK_PATIENCE, Database, network_patience

HOLDER = textwrap.dedent("""
    import asyncio, sys
    from uuid import UUID
    from truename.plumbing.database import pool
    from truename.plumbing.http.problems import is_database_away
    from truename.plumbing.jobs.engine import is_outage

    pool.IDLE_IN_TRANSACTION_SECONDS = 1

    async def main():
        database = pool.Database(sys.argv[1], connections=2)
        await database.open()
        try:
            async with database.account(UUID(sys.argv[2])) as connection:
                await connection.execute("SELECT 1 FROM audit_heads FOR UPDATE")
                print("holds", flush=True)
                await asyncio.to_thread(sys.stdin.readline)
                await connection.execute("SELECT 1")
        except Exception as error:
            print(f"broken off, outage {is_outage(error)}, away {is_database_away(error)}", flush=True)
        async with database.account(UUID(sys.argv[2])) as connection:
            await connection.execute("SELECT 1 FROM audit_heads FOR UPDATE")
        print("goes on", flush=True)
        await database.close()

    asyncio.run(main())
""")


async def write_a_line(plumbing, an_account):
    async with plumbing.database.account(an_account.account_id) as connection:
        await record(
            connection, an_account.account_id, actor="test", action=Action.CUSTOMER_CHANGED, subject="customer:nobody"
        )


@pytest.mark.slow
async def test_a_frozen_process_keeps_the_lock_of_an_account_for_seconds_and_not_for_ever(plumbing, an_account):
    await write_a_line(plumbing, an_account)  # the chain has begun
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, plumbing.database.url, str(an_account.account_id)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    )
    told = process.stdout
    assert told is not None
    assert process.stdin is not None

    async def says():
        async with asyncio.timeout(60):
            return (await asyncio.to_thread(told.readline)).strip()

    try:
        assert await says() == "holds"
        process.send_signal(signal.SIGSTOP)
        async with asyncio.timeout(30):
            await write_a_line(plumbing, an_account)
        process.send_signal(signal.SIGCONT)
        process.stdin.write("\n")
        process.stdin.flush()
        assert await says() == "broken off, outage True, away True"
        assert await says() == "goes on"
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait(30)
        process.stdin.close()
        told.close()


async def test_every_connection_of_the_pool_gives_up_a_transaction_in_which_nothing_happens(plumbing):
    async with plumbing.database.system() as connection:
        row = await (await connection.execute("SHOW idle_in_transaction_session_timeout")).fetchone()
    assert row is not None
    assert row["idle_in_transaction_session_timeout"] == f"{pool.IDLE_IN_TRANSACTION_SECONDS}s"


@pytest.mark.slow
async def test_a_server_that_takes_connections_and_says_nothing_is_left_for_the_next_of_the_address(plumbing):
    mute = socket.create_server(("127.0.0.1", 0))
    real = conninfo_to_dict(plumbing.database.url)
    both = f"127.0.0.1,{real['host']}", f"{mute.getsockname()[1]},{real.get('port', 5432)}"
    database = Database(make_conninfo(plumbing.database.url, host=both[0], port=both[1]), connections=1)
    try:
        async with asyncio.timeout(15):
            await database.open()
            async with database.system() as connection:
                await connection.execute("SELECT 1")
    finally:
        await database.close()
        mute.close()


def test_what_the_address_says_of_patience_stands():
    given = network_patience("postgresql://db-1,db-2/truename?connect_timeout=60&keepalives_idle=300")
    assert set(NETWORK_PATIENCE) - set(given) == {"connect_timeout", "keepalives_idle"}
