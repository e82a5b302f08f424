"""The capture page's files, under /verify/, and the developer's demo pages."""

import asyncio
import base64
import hashlib
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from truename.capture_page import assets, policy
from truename.capture_page.embedding import ancestors_of

FOR_EVER: Final = "public, max-age=31536000, immutable"
ASK_EACH_TIME: Final = "no-cache"


async def without_slash(request: Request) -> Response:
    """Send `/verify` on to `/verify/`, query kept."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/verify/{query}", status_code=308)


async def capture_page(request: Request) -> Response:
    """The page itself. The token is in the fragment, so we never see it here."""
    ancestors = await ancestors_of(request, request.query_params.get("a"))
    return _page(request, "index.html", ancestors)


async def demo_result_page(request: Request) -> Response:
    """The page that shows a trial's result to its developer."""
    return _page(request, "result.html")


async def demo_page(request: Request) -> Response:
    """The page on which a developer starts a trial."""
    return _page(request, "demo.html")


async def loader(request: Request) -> Response:
    """The script that integrators put on their own pages, so it may be loaded from any origin."""
    answer = await _asset(request, assets.own_assets().get("truename.js"), ASK_EACH_TIME)
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    answer.headers["Access-Control-Allow-Origin"] = "*"
    return answer


async def own_file(request: Request) -> Response:
    """One of our own files; kept for ever by the browser when its address names this release."""
    kept = FOR_EVER if request.path_params["release"] == assets.release() else ASK_EACH_TIME
    return await _asset(request, assets.own_assets().get(request.path_params["name"]), kept)


async def vendor_file(request: Request) -> Response:
    """A file of a bundled package, whose address holds its version."""
    return await _asset(request, assets.vendor_assets().get(request.path_params["name"]), FOR_EVER)


async def face_model(request: Request) -> Response:
    """The face model that guides the person in the browser."""
    return await _asset(request, assets.face_model(), "public, max-age=86400")


def _page(request: Request, name: str, ancestors: tuple[str, ...] = ()) -> Response:
    text = assets.page(name)
    digest = base64.b64encode(hashlib.sha256(assets.import_map().encode()).digest()).decode()
    rules = policy.content_security_policy(inline_hashes=[f"sha256-{digest}"], ancestors=ancestors)
    headers = {**policy.headers(rules), "Cache-Control": ASK_EACH_TIME}
    return Response(b"" if request.method == "HEAD" else text, media_type=assets.KINDS[".html"], headers=headers)


async def _asset(request: Request, asset: assets.Asset | None, kept: str) -> Response:
    headers = policy.headers(policy.content_security_policy())
    if asset is None:
        return Response("Not found.\n", 404, headers, "text/plain; charset=utf-8")
    # Reading and compressing megabytes is done once, beside the event loop.
    etag = await asyncio.to_thread(lambda: asset.etag)
    headers |= {"Cache-Control": kept, "ETag": etag, "Vary": "Accept-Encoding"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        body = await asyncio.to_thread(lambda: asset.compressed)
        headers["Content-Encoding"] = "gzip"
    else:
        body = asset.content
    if request.method == "HEAD":
        return Response(
            status_code=200, headers={**headers, "Content-Type": asset.kind, "Content-Length": str(len(body))}
        )
    return Response(body, headers=headers, media_type=asset.kind)


routes: Final = tuple(
    Route(path, endpoint, methods=["GET"])  # and HEAD with it
    for path, endpoint in (
        ("/verify", without_slash),
        ("/verify/", capture_page),
        ("/verify/demo-result", demo_result_page),
        ("/demo", demo_page),
        ("/verify/truename.js", loader),
        ("/verify/static/{release}/{name:path}", own_file),
        ("/verify/vendor/{name:path}", vendor_file),
        ("/verify/model/face_landmarker.task", face_model),
    )
)
