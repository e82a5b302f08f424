"""Jobs that tests ask for, and what is left of them in the database."""

from truename.plumbing.database.ids import new_id
from truename.plumbing.jobs.queue import enqueue


async def count(plumbing, query):
    async with plumbing.database.system() as connection:
        row = await (await connection.execute(query)).fetchone()
        return next(iter(row.values()))


async def ask(plumbing, name, **options):
    async with plumbing.database.account(new_id()) as connection:
        await enqueue(connection, name, {"word": "hello"}, **options)
