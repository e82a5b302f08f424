"""The site of docs/ at /docs/guide/, as `make docs` and `make wheel` build it beside this file."""

import asyncio
import gzip
import re
from base64 import b64encode
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from truename.api.pages import FOR_EVER, page_of

FOLDER: Final = Path(__file__).with_name("guide")
ADDRESS: Final = "/docs/guide"
KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".xml": "application/xml",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
PACKED: Final = {".html", ".js", ".css", ".json", ".svg", ".xml"}
"""What is worth compressing."""
HASHED: Final = re.compile(r"\.[0-9a-f]{8}\.min\.")
"""Names that change with their content."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'{scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


@dataclass(frozen=True)
class File:
    """One file of the site, ready to be sent."""

    plain: bytes
    packed: bytes | None
    kind: str
    policy: str


def was_built() -> bool:
    """Is there a site to show?"""
    return (FOLDER / "index.html").is_file()


def wanted_file(folder: Path, path: str) -> Path | None:
    """The file that an address means; None when there is none, or none of ours."""
    if "\0" in path:
        return None
    file = (folder / path).resolve()
    if path.endswith("/") or not path:
        file = file / "index.html"
    return file if file.is_relative_to(folder.resolve()) and file.suffix in KINDS and file.is_file() else None


@lru_cache(maxsize=512)
def _read(file: Path, changed: float) -> File:
    plain = file.read_bytes()
    # The pages have small scripts of their own; these very ones may run, and no other.
    own = {f" 'sha256-{b64encode(sha256(script).digest()).decode()}'" for script in _INLINE.findall(plain)}
    packed = gzip.compress(plain, compresslevel=6, mtime=0) if file.suffix in PACKED else None
    return File(plain, packed, KINDS[file.suffix], POLICY.format(scripts="".join(sorted(own))))


async def shown(request: Request, folder: Path) -> Response:
    """A file of the site; its own page of 404 where there is none, and how to build it where there is no site."""
    file, status = wanted_file(folder, request.path_params["path"]), 200
    if file is None:
        file, status = wanted_file(folder, "404.html"), 404
    if file is None:
        return page_of("guide_missing.html", status=404)
    found = await asyncio.to_thread(_read, file, file.stat().st_mtime)
    headers = {
        "Content-Security-Policy": found.policy,
        "Cache-Control": FOR_EVER if HASHED.search(file.name) else "no-cache",
        "Vary": "Accept-Encoding",
    }
    if found.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(found.packed, status, {**headers, "Content-Encoding": "gzip"}, found.kind)
    return Response(found.plain, status, headers, found.kind)


def routes_of(folder: Path) -> tuple[Route, ...]:
    """The routes that show a site which was built into this folder."""

    async def show(request: Request) -> Response:
        return await shown(request, folder)

    async def add_slash(_: Request) -> Response:
        return RedirectResponse(f"{ADDRESS}/", 308)

    return (
        Route(ADDRESS, add_slash, methods=["GET"]),
        Route(ADDRESS + "/{path:path}", show, methods=["GET"]),
    )


routes: Final = routes_of(FOLDER)
