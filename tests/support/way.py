"""A way to the database's socket that can be shut, or break in the middle of an answer."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class Way:
    """A way to the server that can be shut: for those who are on it, for those who come, or by silence."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.server = folder, f"{conninfo_to_dict(url)['host']}/.s.PGSQL.5432"
        self.url = make_conninfo(url, host=str(folder))
        self.passes = asyncio.Event()
        self.passes.set()
        self.breaks_at: bytes | None = None
        """An answer of the server with this in it never arrives, and the connection breaks: once."""
        self.silent_from: bytes | None = None
        """An answer of the server with this in it never arrives, nor anything after it on the same connection."""
        self._door: asyncio.Server | None = None
        self._walkers: set[asyncio.StreamWriter] = set()

    async def open(self) -> None:
        self._door = await asyncio.start_unix_server(self._walk, self.folder / ".s.PGSQL.5432")

    async def let_nobody_in(self) -> None:
        """Who is on it goes on; nobody else comes."""
        assert self._door is not None
        self._door.close()
        (self.folder / ".s.PGSQL.5432").unlink(missing_ok=True)

    async def shut(self) -> None:
        """As if the server had died."""
        await self.let_nobody_in()
        for writer in list(self._walkers):
            writer.close()

    async def _walk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(self.server)
        self._walkers |= {writer, back}
        await asyncio.gather(self._carry(reader, back), self._carry(there, writer, answers=True))

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool = False
    ) -> None:
        silent = False
        with contextlib.suppress(OSError):
            while piece := await reader.read(65536):
                await self.passes.wait()
                if answers and self.breaks_at is not None and self.breaks_at in piece:
                    self.breaks_at = None
                    break
                silent = silent or (answers and self.silent_from is not None and self.silent_from in piece)
                if silent:
                    continue
                writer.write(piece)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def a_way(url: str) -> AsyncIterator[Way]:
    """To this database, open until told otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        made = Way(Path(folder), url)
        await made.open()
        try:
            yield made
        finally:
            made.passes.set()
            await made.shut()
