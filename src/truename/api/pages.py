"""Pages for developers: the way in, the API reference, one page for each error code. Nothing comes from elsewhere."""

import asyncio
import gzip
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from truename import __version__
from truename.api.demo import trial_account
from truename.bundled.files import BundledFile
from truename.bundled.npm import npm_packages
from truename.plumbing.error_codes import FAULTS, PROBLEMS
from truename.plumbing.errors import RouteNotFound
from truename.plumbing.http.problems import PAGES

FOLDER: Final = Path(__file__).with_name("pages")
PLAIN: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
REFERENCE: Final = (
    # The reference sets styles on its elements as it goes; scripts are ours alone, and none is made from text.
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SCRIPT: Final = "text/javascript; charset=utf-8"
FOR_EVER: Final = "public, max-age=31536000, immutable"


def marked(text: str) -> Markup:
    """Text whose `code` is set in code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


@cache
def _templates() -> Environment:
    found = Environment(loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined)
    found.filters["marked"] = marked
    return found


def page_of(name: str, policy: str = PLAIN, status: int = 200, **values: object) -> Response:
    """A page made from one of the templates."""
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-cache"}
    return Response(_templates().get_template(name).render(values), status, headers, "text/html; charset=utf-8")


async def landing(request: Request) -> Response:
    """The small page at `/` with the ways on; to the demo only where there is one."""
    demo = await trial_account(request.app.state.plumbing) is not None
    return page_of("landing.html", version=__version__, demo=demo)


async def reference(_: Request) -> Response:
    """The API reference, by Scalar."""
    return page_of("docs.html", REFERENCE, bundle=f"/docs/assets/{next(iter(_bundles()))}")


async def errors(_: Request) -> Response:
    """Every error code on one page."""
    return page_of("errors.html", problems=PROBLEMS, faults=FAULTS)


async def error(request: Request) -> Response:
    """One error code: what it means and what to do; 404 for one that does not exist."""
    code = request.path_params["code"]
    if code not in PROBLEMS:
        raise RouteNotFound
    return page_of("error.html", code=code, row=PROBLEMS[code])


async def own_script(_: Request) -> Response:
    """The script that starts the reference."""
    return Response((FOLDER / "docs.js").read_bytes(), 200, {"Cache-Control": "no-cache"}, SCRIPT)


async def bundle(request: Request) -> Response:
    """A file of somebody else's package, by `package@version/file`; compressed once, beside the event loop."""
    found = _bundles().get(request.path_params["name"])
    if found is None:
        raise RouteNotFound
    plain, packed = await asyncio.to_thread(_read, request.path_params["name"])
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers = {"Cache-Control": FOR_EVER, "Vary": "Accept-Encoding", "Content-Encoding": "gzip"}
        return Response(packed, 200, headers, SCRIPT)
    return Response(plain, 200, {"Cache-Control": FOR_EVER, "Vary": "Accept-Encoding"}, SCRIPT)


@cache
def _bundles() -> dict[str, BundledFile]:
    return {
        f"{package.name}@{package.version}/{file}": package.bundled(file)
        for package in npm_packages("api")
        for file in package.files
    }


@cache
def _read(name: str) -> tuple[bytes, bytes]:
    plain: bytes = _bundles()[name].read()
    return plain, gzip.compress(plain, compresslevel=9, mtime=0)


routes: Final = tuple(
    Route(path, endpoint, methods=["GET"])  # and HEAD with it
    for path, endpoint in (
        ("/", landing),
        ("/docs", reference),
        (PAGES, errors),
        (PAGES + "/{code}", error),
        ("/docs/assets/docs.js", own_script),
        ("/docs/assets/{name:path}", bundle),
    )
)
