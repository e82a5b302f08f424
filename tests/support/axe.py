"""What axe complains of on a page."""

from typing import Any

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Frame, Page

RULES: dict[str, Any] = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
CONTRAST: dict[str, Any] = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# What passes is neither described nor sent to us: on a long page that takes longer than the rules themselves.
RUN = "options => axe.run({ ...options, resultTypes: ['violations'] }).then((found) => found.violations)"
_SCRIPT = Axe().axe_script


async def faults(page: Page | Frame, options: dict[str, Any] = RULES) -> list[str]:
    """Each rule that the page breaks, with the first places."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_SCRIPT)
    violations = await page.evaluate(RUN, options)
    return [f"{page.url}: {one['id']}: {[node['html'][:200] for node in one['nodes'][:3]]}" for one in violations]


async def faults_in_light_and_dark(page: Page) -> list[str]:
    """All rules in light, then the contrast in dark: another scheme is other colours and nothing else.

    The page must have been opened with `reduced_motion`, or colours are measured on their way.
    """
    found = await faults(page)
    await page.emulate_media(color_scheme="dark")
    found += await faults(page, CONTRAST)
    await page.emulate_media(color_scheme="light")
    return found
