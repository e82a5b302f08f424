"""Which files the browser may fetch from us, and their bytes: an allow-list, never a path on disk."""

import gzip
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath

from truename.bundled.npm import npm_packages
from truename.vision import models

STATIC = Path(__file__).parent / "static"

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".task": "application/octet-stream",
}


@dataclass(frozen=True, eq=False)
class Asset:
    """One file, with what a browser needs to know of it; `read` gives its bytes or says why it cannot."""

    name: str
    read: Callable[[], bytes]

    @property
    def kind(self) -> str:
        """The content type, by the name's ending."""
        return KINDS[PurePosixPath(self.name).suffix]

    @cached_property
    def content(self) -> bytes:
        """The bytes, read once; raises what `read` raises."""
        return self.read()

    @cached_property
    def compressed(self) -> bytes:
        """The bytes by gzip, always the same for the same content."""
        return gzip.compress(self.content, compresslevel=9, mtime=0)

    @cached_property
    def etag(self) -> str:
        """A name for exactly these bytes."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


@lru_cache
def own_assets() -> dict[str, Asset]:
    """Our own files by their path under static/."""
    return {
        path.relative_to(STATIC).as_posix(): Asset(path.name, path.read_bytes)
        for path in sorted(STATIC.rglob("*"))
        if path.is_file() and path.suffix in KINDS
    }


@lru_cache
def vendor_assets() -> dict[str, Asset]:
    """The files of other people's packages, by `package@version/file`; reading a changed one raises BundleFault."""
    return {
        f"{package.name}@{package.version}/{file}": Asset(file, package.bundled(file).read)
        for package in npm_packages("capture_page")
        for file in package.files
    }


@lru_cache
def face_model() -> Asset:
    """The face model of the model table, for guidance in the browser; its hash is checked before it is served."""
    return Asset("face_landmarker.task", lambda: models.weights(models.model("face_landmarker")))


@lru_cache
def release() -> str:
    """A name for this very set of own files, part of their address, so that browsers may keep them for ever."""
    digest = hashlib.sha256()
    for name, asset in own_assets().items():
        digest.update(name.encode())
        digest.update(asset.etag.encode())
    return digest.hexdigest()[:16]


@lru_cache
def import_map() -> str:
    """Where the browser finds each bare module name, as the JSON of an import map."""
    imports: dict[str, str] = {}
    for name in vendor_assets():
        package, _, rest = name.rpartition("@")
        file = rest.partition("/")[2]
        address = f"/verify/vendor/{name}"
        if file.endswith((".js", ".mjs")) and not file.startswith("wasm/"):
            imports[f"{package}/{file}"] = address
        if file in ("index.js", "lit-html.js", "reactive-element.js", "vision_bundle.mjs"):
            imports[package] = address
    return json.dumps({"imports": imports}, sort_keys=True, separators=(",", ":"))


@lru_cache
def page(name: str) -> str:
    """One of our HTML pages with the addresses of this release filled in."""
    text = (STATIC / name).read_text(encoding="utf-8")
    return text.replace("{{static}}", f"/verify/static/{release()}").replace("{{import_map}}", import_map())
