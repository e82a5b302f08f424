"""The dashboard's own files and others' libraries, read and compressed once per process."""

import asyncio
import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from truename.bundled.npm import npm_packages

STATIC: Final = Path(__file__).with_name("static")
KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
SHEET: Final = "dashboard.css"
APART: Final = (SHEET, "print.css")
"""Sheets that are not put into the one of every page: itself, and the one that would change how it is printed."""
FOR_EVER: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Asset:
    """One file that the browser loads."""

    name: str
    content: bytes

    @property
    def kind(self) -> str:
        return KINDS[Path(self.name).suffix]

    @cached_property
    def compressed(self) -> bytes:
        return gzip.compress(self.content, 9, mtime=0)


@lru_cache
def assets() -> dict[str, Asset]:
    """Every file by its name: our own, and `htmx.js`. Raises BundleFault when somebody else's file was changed.

    `dashboard.css` is all sheets of the screen in one, so that a page asks for one file and the next page for none.
    """
    own = {
        path.name: Asset(path.name, path.read_bytes())
        for path in sorted(STATIC.iterdir())
        if path.is_file() and path.suffix in KINDS
    }
    further = [asset.content for name, asset in own.items() if name.endswith(".css") and name not in APART]
    own[SHEET] = Asset(SHEET, b"\n".join([own[SHEET].content, *further]))
    others = {
        f"{Path(file).name.removesuffix('.min.js')}.js": Asset(Path(file).name, package.bundled(file).read())
        for package in npm_packages("dashboard")
        for file in package.files
    }
    return own | others


@lru_cache
def release() -> str:
    """A name for this very set of files, part of their address, so that browsers may keep them for ever."""
    digest = hashlib.sha256()
    for name, asset in sorted(assets().items()):
        digest.update(name.encode() + hashlib.sha256(asset.content).digest())
    return digest.hexdigest()[:16]


def address(name: str) -> str:
    """Where a page finds a file; raises KeyError for one that is not there."""
    if name not in assets():
        raise KeyError(name)
    return f"/dashboard/static/{release()}/{name}"


async def file(request: Request) -> Response:
    """Serve one of the files."""
    asset = assets().get(request.path_params["name"])
    headers = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
    if asset is None:
        return Response("Not found.\n", 404, headers, "text/plain; charset=utf-8")
    current = request.path_params["release"] == release()
    headers |= {"Cache-Control": FOR_EVER if current else "no-cache", "Vary": "Accept-Encoding"}
    body = asset.content
    if "gzip" in request.headers.get("accept-encoding", ""):
        body = await asyncio.to_thread(lambda: asset.compressed)
        headers["Content-Encoding"] = "gzip"
    return Response(body, 200, headers, asset.kind)
