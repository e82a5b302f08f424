"""How fast are stored transactions judged again? `python -m benchmarks.backtest [--transactions 100000]`.

Fills an embedded PostgreSQL with transactions as the service stores them (each dossier sealed under its customer's
key), judges all of them under another policy, and says the wall-clock time, the processor time of this process, and how
long the 5,000 of the policy lab take in memory. Run it under `taskset -c 0` to hold it, and the database that it
starts, to one core.
"""

import argparse
import asyncio
import base64
import random
import secrets
import tempfile
import time
from pathlib import Path

import orjson
from psycopg.types.json import Jsonb
from tests.support.dossiers import EVERYTHING_EXPECTED, THE_SAME_PERSON, a_device, a_document, a_dossier

from truename.accounts.create import create_account
from truename.backtest.model import BEGINNING, OtherConfig, policy_of
from truename.backtest.policy import Mode
from truename.backtest.run import backtest
from truename.backtest.sample import read_sample
from truename.backtest.stored import Range
from truename.plumbing.clock import now
from truename.plumbing.crypto import seals
from truename.plumbing.database.ids import new_id
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import load_settings
from truename.rules.dossier import Dossier
from truename.rules.evidence import FacePair
from truename.rules.verdict import evaluate
from truename.wiring import wired

BATCH = 2000
PER_CUSTOMER = 2


def a_varied_dossier(draw: random.Random) -> Dossier:
    """Like those of a shop: most in order, some not, a third with names to match, some with an earlier record."""
    matched = draw.random() < 0.33
    return a_dossier(
        document=a_document(date_of_expiry="2020-01-01" if draw.random() < 0.05 else "2031-05-06"),
        liveness=round(draw.betavariate(12, 1), 6),
        face_similarity=dict.fromkeys(FacePair, round(draw.betavariate(14, 1), 6)),
        device=a_device(emulator=draw.random() < 0.02, vpn_or_proxy=draw.random() < 0.2),
        earlier_record=THE_SAME_PERSON if draw.random() < 0.2 else None,
        config={"document_policy": {"data_matching": EVERYTHING_EXPECTED}} if matched else {},
    )


async def fill(plumbing: Plumbing, account_id, number: int) -> None:
    """Store so many decided transactions, straight into the tables, sealed as the service seals them."""
    draw = random.Random(7)
    done = 0
    while done < number:
        count = min(BATCH, number - done)
        customers, transactions, examinations = [], [], []
        customer_id, key = None, None
        for place in range(count):
            if place % PER_CUSTOMER == 0:
                customer_id = new_id()
                made = await plumbing.keys.make(account_id, customer_id)
                key = plumbing.vault.customer_key(made.wrapped, account_id, customer_id)
                customers.append((customer_id, account_id, secrets.token_hex(8), made.data_key))
            assert key is not None
            dossier, transaction_id = a_varied_dossier(draw), new_id()
            verdict = evaluate(dossier)
            issues = Jsonb([issue.as_dict() for issue in verdict.issues])
            checks = Jsonb([check.as_dict() for check in verdict.checks])
            decision = verdict.decision.value
            transactions.append((transaction_id, account_id, customer_id, decision, decision, issues, checks))
            sealed = key.seal(dossier.model_dump_json().encode(), seals.dossier(transaction_id))
            examinations.append((transaction_id, account_id, customer_id, sealed))
        async with plumbing.database.account(account_id) as connection, connection.cursor() as cursor:
            await cursor.executemany(
                "INSERT INTO customers (customer_id, account_id, external_customer_id, data_key) "
                "VALUES (%s, %s, %s, %s)",
                customers,
            )
            await cursor.executemany(
                "INSERT INTO transactions (transaction_id, account_id, customer_id, transaction_type, config, status, "
                "outcome, decided_by, decided_at, submitted_at, completed_at, expires_at, issues, checks) VALUES "
                "(%s, %s, %s, 'DOCUMENT_AND_BIOMETRIC', '{}', %s, %s, 'ENGINE', now(), now(), now(), now(), %s, %s)",
                transactions,
            )
            await cursor.executemany(
                "INSERT INTO examinations (transaction_id, account_id, customer_id, sealed_dossier) "
                "VALUES (%s, %s, %s, %s)",
                examinations,
            )
        done += count
        print(f"\rstored {done:,}", end="", flush=True)
    print()
    async with plumbing.database.pool.connection() as connection:
        await connection.execute("RESET ROLE")
        await connection.execute("ANALYZE")
        await connection.execute("SET ROLE truename_app")


async def measure(folder: Path, number: int) -> int:
    settings = load_settings(data_dir=folder, master_key=base64.b64encode(secrets.token_bytes(32)).decode())
    async with wired(settings, may_create=True) as plumbing:
        account = await create_account(plumbing, "benchmark")
        await fill(plumbing, account.account_id, number)
        range_ = Range(account.account_id, BEGINNING, now())
        stricter = OtherConfig.model_validate({"biometric_policy": {"liveness_min_score": 0.9}})
        policy = policy_of(stricter, Mode.CHANGE)

        async def progress(done: int) -> None:
            print(f"\rjudged {done:,}", end="", flush=True)

        began, worked = time.perf_counter(), time.process_time()
        result = await backtest(plumbing, range_, policy, progress)
        took, cpu = time.perf_counter() - began, time.process_time() - worked
        same = await backtest(plumbing, range_, policy_of(OtherConfig(), Mode.CHANGE), progress)
        print()
        sample = await read_sample(plumbing, range_)
        times, works = [], []
        for _ in range(5):
            began, worked = time.perf_counter(), time.process_time()
            sample.judge(policy)
            times.append(time.perf_counter() - began)
            works.append(time.process_time() - worked)
        found = {
            "transactions": result.decisions.judged,
            "seconds": round(took, 2),
            "processor_seconds_of_this_process": round(cpu, 2),
            "flips": result.decisions.to_approved + result.decisions.to_rejected,
            "flips_of_the_same_config": same.decisions.to_approved + same.decisions.to_rejected,
            "sample": len(sample.judged),
            "sample_ms": round(min(times) * 1000),
            "sample_processor_ms": round(min(works) * 1000),
        }
        print(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
        return same.decisions.to_approved + same.decisions.to_rejected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transactions", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        flips = asyncio.run(measure(Path(folder) / "data", given.transactions))
    if flips:
        raise SystemExit(f"{flips} decisions flip under the config that they were made with.")


if __name__ == "__main__":
    main()
