"""A real Chromium with a fake camera. Where there is none, tests fail: a page that nobody opened is not tested."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

ALWAYS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--no-first-run",
    # A host name that is not localhost, so that the page is on an insecure origin.
    "--host-resolver-rules=MAP insecure.test 127.0.0.1,MAP shop.test 127.0.0.1",
]
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}}
SMALLEST: dict[str, Any] = {"viewport": {"width": 320, "height": 568}, "is_mobile": True, "has_touch": True}


def chromium() -> str:
    found = os.environ.get("TRUENAME_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        raise RuntimeError("Browser tests need Chromium: `apt-get install chromium`, or set TRUENAME_CHROMIUM.")
    return found


@asynccontextmanager
async def a_browser(
    camera: Path | None = None, *, permission: str = "allow", cameras: int | None = None
) -> AsyncIterator[Browser]:
    """`camera` is the film (or a link to it); `cameras` are so many, which see what Chromium draws. Without either the
    device has none."""
    flags = [*ALWAYS]
    if camera is not None:
        flags += [
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-video-capture={camera}",
        ]
    if cameras is not None:
        flags.append(f"--use-fake-device-for-media-stream=device-count={cameras}")
    if permission != "ask":
        flags.append("--use-fake-ui-for-media-stream" + ("=deny" if permission == "deny" else ""))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=flags)
        try:
            yield browser
        finally:
            await browser.close()
