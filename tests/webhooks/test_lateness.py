"""Do the metrics tell how late webhooks are, also of accounts that are put off because their receivers are slow?"""

from contextlib import ExitStack
from uuid import uuid4

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from tests.support.webhooks import a_transaction, jobs_of, start
from truename.plumbing.database.pool import Database
from truename.plumbing.jobs.queue_names import Queue
from truename.plumbing.jobs.worker import run_pending
from truename.webhooks import places
from truename.webhooks.lateness import webhook_metrics

LATE_SECONDS = 1000


async def test_who_is_put_off_does_not_age_the_queue_but_the_webhooks(
    house, an_account, receiver, live_server, monkeypatch
):
    """Autoscaling asks for the one, which more workers would bring down; people ask for the other."""
    shared, stranger = places.Places(), uuid4()
    monkeypatch.setattr(places, "shared", shared)
    shared._slow.update({an_account.account_id, stranger})
    await start(house, an_account, await a_transaction(house, an_account, receiver.url))
    async with house.database.account(an_account.account_id) as connection:
        late = "UPDATE webhook_events SET next_attempt_at = now() - make_interval(secs => %s)"
        await connection.execute(late, (LATE_SECONDS,))
    with ExitStack() as taken:
        for _ in range(house.settings.worker_concurrency // 2):
            taken.enter_context(shared.one_more(stranger))
        await run_pending(house)
        assert receiver.received == []
        assert await jobs_of(house, an_account.account_id) == 1, "it was put off"
        queue, webhooks = await ages(live_server, house)
        assert queue < 60
        assert LATE_SECONDS <= webhooks < 10 * LATE_SECONDS
    async with house.database.system() as connection:
        await connection.execute("UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'")
    await run_pending(house)
    assert len(receiver.received) == 1
    assert (await ages(live_server, house))[1] < LATE_SECONDS, "it was told"


async def ages(address, house):
    """Of the queue of deliveries, and of the webhook that has been due for the longest: as a scraper is told."""
    headers = {"Authorization": f"Bearer {house.settings.metrics_token.get_secret_value()}"}
    async with aiohttp.ClientSession(address, headers=headers) as calling, calling.get("/metrics") as answer:
        assert answer.status == 200
        page = await answer.text()
    told = {
        (one.name, one.labels.get("queue")): one.value
        for family in text_string_to_metric_families(page)
        for one in family.samples
    }
    return told["truename_queue_age_seconds", Queue.DELIVERY], told["truename_webhook_age_seconds", None]


async def test_where_the_database_does_not_answer_nothing_is_said_of_webhooks():
    nowhere = Database("postgresql://nobody@127.0.0.1:1/nothing", connections=2)
    assert await webhook_metrics(nowhere) == b""
