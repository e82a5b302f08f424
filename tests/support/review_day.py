"""A reviewer's day in a real browser, by the keyboard: take, answer blind, decide, until nothing waits."""

import re
import time
from dataclasses import dataclass, field

from playwright.async_api import Page

REVIEW = "/dashboard/review"
CASE = re.compile(r"/dashboard/review/([0-9a-f-]{36})$")
QUEUE = re.compile(r"/dashboard/review(\?.*)?$")
NEXT = re.compile(r"/dashboard/review(\?none=1|/[0-9a-f-]{36})$")
WAIT_MS = 60_000


@dataclass
class Day:
    """What one reviewer did."""

    decided: list[str] = field(default_factory=list)
    """Ids of transactions, in order."""
    seconds: list[float] = field(default_factory=list)
    """From asking for each of them to having decided it."""
    conflicts: list[str] = field(default_factory=list)
    """Ids of transactions that somebody else had decided or taken meanwhile."""


async def work(page: Page, address: str) -> Day:
    """Decide case after case, each as it comes, until nothing is handed out any more."""
    day = Day()
    await page.goto(address + REVIEW)
    while True:
        began = time.perf_counter()
        if await page.locator("form[action$='/review/next'] button").is_disabled():
            return day
        await page.keyboard.press("n")
        await page.wait_for_url(NEXT, timeout=WAIT_MS)
        found = CASE.search(page.url)
        if found is None:
            return day
        if await _decide(page):
            day.decided.append(found[1])
            day.seconds.append(time.perf_counter() - began)
        else:
            day.conflicts.append(found[1])
            await page.goto(address + REVIEW)


async def _decide(page: Page) -> bool:
    """Answer what is asked, reject for the first reason; False when the case was lost to somebody else."""
    verdict = page.locator("aside.verdict")
    asked = "form[data-commit] input[name=question]"
    while True:
        # The page before may be gone and the next one not there yet: neither of the two is on it then.
        await page.locator(f"aside.verdict, {asked}").first.wait_for(state="attached", timeout=WAIT_MS)
        if await verdict.count():
            break
        question = await page.locator(asked).get_attribute("value")
        await page.keyboard.press("3")
        await page.keyboard.press("Control+Enter")
        still = f"{asked}[value={question}]"
        await page.wait_for_selector(still, state="detached", timeout=WAIT_MS)
    await page.keyboard.press("r")
    await page.locator("details.decide[open] input[type=radio]").first.press("Space")
    async with page.expect_response(lambda answer: answer.request.method == "POST", timeout=WAIT_MS) as sent:
        await page.keyboard.press("Control+Enter")
    answer = await sent.value
    if answer.status != 303:
        return False
    await page.wait_for_url(QUEUE, timeout=WAIT_MS)  # whole, or the next key would be pressed on the page before
    return True
