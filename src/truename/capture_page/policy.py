"""What the browser may do on our pages: nothing but our own files, the camera and the place."""

from collections.abc import Iterable

PERMISSIONS = "camera=(self), geolocation=(self), fullscreen=(self), microphone=(), display-capture=(), payment=()"


def content_security_policy(*, inline_hashes: Iterable[str] = (), ancestors: Iterable[str] = ()) -> str:
    """Strict rules for one answer; the import map is the only inline script, named by its hash."""
    scripts = " ".join(["'self'", "'wasm-unsafe-eval'", *(f"'{value}'" for value in inline_hashes)])
    directives = {
        "default-src": "'none'",
        "script-src": scripts,
        "worker-src": "'self' blob:",
        "style-src": "'self'",
        "img-src": "'self' blob: data:",
        "media-src": "'self' blob:",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": " ".join(["'self'", *ancestors]),
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def headers(policy: str) -> dict[str, str]:
    """The headers of every answer of this room."""
    return {
        "Content-Security-Policy": policy,
        "Permissions-Policy": PERMISSIONS,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
