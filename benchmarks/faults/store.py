"""What only the service's own code can tell when all is quiet: sweeps orphans, opens every picture, verifies the log.

    python -m benchmarks.faults.store FILE

One process for all three, with the settings of the house in its environment; writes what it found as JSON.
"""

import asyncio
import json
import sys
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

from truename.audit.verify import verify
from truename.media.orphans import sweep_orphans
from truename.media.pictures import open_picture
from truename.plumbing.crypto.vault import CannotOpen
from truename.plumbing.resources import Plumbing
from truename.plumbing.settings import load_settings
from truename.plumbing.storage.objects import PROBES, NoSuchObject
from truename.wiring import wired

PICTURES = """
SELECT m.media_id, m.account_id, m.customer_id, m.storage_key, c.data_key
FROM media m JOIN customers c ON c.customer_id = m.customer_id AND c.account_id = m.account_id
WHERE m.redacted_at IS NULL
"""


@dataclass(frozen=True)
class Stored:
    """What was found."""

    swept: int
    """Orphans that the sweep has deleted: their process died between picture and row."""
    objects: list[str]
    """Keys of what lies in the store after that."""
    pictures: list[str]
    """Keys of what rows know of."""
    unopened: list[str]
    """Keys of pictures that are there and cannot be opened."""
    breaks: list[str]
    """Where the audit log is not as it was written."""


async def main(file: Path) -> None:
    async with wired(load_settings()) as plumbing:
        file.write_text(json.dumps(asdict(await look(plumbing))))


async def look(plumbing: Plumbing) -> Stored:
    """Sweep, list, open and verify."""
    nothing = "/".join(str(uuid4()) for _ in range(3))
    await plumbing.objects.put(nothing, b"")  # where no picture was sent the bucket is not there yet
    await plumbing.objects.delete(nothing)
    swept = await sweep_orphans(plumbing, timedelta(0))
    listed = [found.key async for chunk in plumbing.objects.list() for found in chunk]
    objects = [key for key in listed if not key.startswith(f"{PROBES}/")]  # a killed /readyz leaves one for a day
    async with plumbing.database.system() as connection:
        rows = await (await connection.execute(PICTURES)).fetchall()
    unopened = []
    for row in rows:
        key = await plumbing.keys.open(row["data_key"], row["account_id"], row["customer_id"])
        try:
            assert key is not None
            assert await open_picture(plumbing.objects, key, UUID(str(row["media_id"])), row["storage_key"])
        except NoSuchObject:
            continue  # the list of objects tells
        except (AssertionError, CannotOpen):
            unopened.append(row["storage_key"])
    found = await verify(plumbing)
    breaks = [f"line {one.sequence}: {one.what}" for one in found.breaks]
    return Stored(swept, objects, [row["storage_key"] for row in rows], unopened, breaks)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
