"""The capture page's files, under /verify/, and the developer's demo pages."""

import asyncio
import base64
import hashlib
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from truename.capture_page import assets, policy
from truename.capture_page.embedding import ancestors_of

router = APIRouter(include_in_schema=False)

FOR_EVER: Final = "public, max-age=31536000, immutable"
ASK_EACH_TIME: Final = "no-cache"
BOTH: Final = ["GET", "HEAD"]


@router.api_route("/verify", methods=BOTH)
async def without_slash(request: Request) -> Response:
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/verify/{query}", status_code=308)


@router.api_route("/verify/", methods=BOTH)
async def capture_page(request: Request) -> Response:
    """The page itself. The token is in the fragment, so we never see it here."""
    ancestors = await ancestors_of(request, request.query_params.get("a"))
    return _page(request, "index.html", ancestors)


@router.api_route("/verify/demo-result", methods=BOTH)
async def demo_result_page(request: Request) -> Response:
    return _page(request, "result.html")


@router.api_route("/demo", methods=BOTH)
async def demo_page(request: Request) -> Response:
    return _page(request, "demo.html")


@router.api_route("/verify/truename.js", methods=BOTH)
async def loader(request: Request) -> Response:
    """The script that integrators put on their own pages, so it may be loaded from any origin."""
    answer = await _asset(request, assets.own_assets().get("truename.js"), ASK_EACH_TIME)
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    answer.headers["Access-Control-Allow-Origin"] = "*"
    return answer


@router.api_route("/verify/static/{release}/{name:path}", methods=BOTH)
async def own_file(request: Request, release: str, name: str) -> Response:
    kept = FOR_EVER if release == assets.release() else ASK_EACH_TIME
    return await _asset(request, assets.own_assets().get(name), kept)


@router.api_route("/verify/vendor/{name:path}", methods=BOTH)
async def vendor_file(request: Request, name: str) -> Response:
    return await _asset(request, assets.vendor_assets().get(name), FOR_EVER)


@router.api_route("/verify/model/face_landmarker.task", methods=BOTH)
async def face_model(request: Request) -> Response:
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
