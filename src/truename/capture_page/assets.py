"""Which files the browser may fetch from us, and their bytes: an allow-list, never a path on disk."""

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

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

# What we take from npm: package, and the files of it that a page loads.
VENDOR = {
    "lit": ("index.js",),
    "lit-html": ("lit-html.js", "is-server.js", "directive.js", "directives/class-map.js", "directives/live.js"),
    "lit-element": ("lit-element.js",),
    "@lit/reactive-element": ("reactive-element.js", "css-tag.js"),
    "@mediapipe/tasks-vision": (
        "vision_bundle.mjs",
        "wasm/vision_wasm_module_internal.js",
        "wasm/vision_wasm_module_internal.wasm",
    ),
}


class NotInstalled(RuntimeError):
    """`npm ci` was not run: the page cannot be served."""


@dataclass(frozen=True, eq=False)
class Asset:
    """One file, with what a browser needs to know of it."""

    path: Path

    @property
    def kind(self) -> str:
        return KINDS[self.path.suffix]

    @cached_property
    def content(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def compressed(self) -> bytes:
        return gzip.compress(self.content, compresslevel=9, mtime=0)

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


def node_modules() -> Path:
    """The folder that `npm ci` filled, nearest above the code or in the working folder."""
    for folder in (*Path(__file__).resolve().parents, Path.cwd()):
        candidate = folder / "node_modules"
        if (candidate / "lit" / "index.js").is_file():
            return candidate
    raise NotInstalled("The capture page needs the packages of package-lock.json: run `make install` (or `npm ci`).")


@lru_cache
def own_assets() -> dict[str, Asset]:
    """Our own files by their path under static/."""
    return {
        path.relative_to(STATIC).as_posix(): Asset(path)
        for path in sorted(STATIC.rglob("*"))
        if path.is_file() and path.suffix in KINDS
    }


@lru_cache
def vendor_assets() -> dict[str, Asset]:
    """The files of other people's packages, by `package@version/file`."""
    return dict(_vendor())


def _vendor() -> Iterator[tuple[str, Asset]]:
    root = node_modules()
    for package, files in VENDOR.items():
        for file in files:
            path = root / package / file
            if not path.is_file():
                raise NotInstalled(f"{package}/{file} is missing: run `make install` (or `npm ci`).")
            yield f"{package}@{_version(package)}/{file}", Asset(path)


def _version(package: str) -> str:
    described = json.loads((node_modules() / package / "package.json").read_text(encoding="utf-8"))
    return str(described["version"])


class FaceModel(Asset):
    """The face model of the model table, for guidance in the browser; its hash is checked before it is served."""

    @cached_property
    def content(self) -> bytes:
        return models.weights(models.model("face_landmarker"))


@lru_cache
def face_model() -> Asset:
    return FaceModel(Path("face_landmarker.task"))


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
