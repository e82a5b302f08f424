"""Lists of bars: where people stop, and what goes wrong; each leads to its rows."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from truename.dashboard.numbers.plots import LIST, Row, percent
from truename.dashboard.words import change
from truename.statistics.model import Numbers, Step


def stops(numbers: Numbers, first: date, last: date) -> tuple[str, list[Row]]:
    """Where people stopped, in the order of the capture."""
    total = sum(numbers.stopped.values())
    if not total:
        return "Nobody stopped before the end", []
    worst = max(numbers.stopped, key=lambda step: numbers.stopped[step])
    share = percent(numbers.stopped[worst], total)
    title = f"Most who stop {STOP_WORDS[worst]}: {share}, {numbers.stopped[worst]:,} of {total:,}"
    most = max(numbers.stopped.values())
    rows = [
        Row(
            step.words,
            count,
            percent(count, total),
            round(100 * count / most, 1),
            f"{LIST}?stopped={step.value}&ended_from={first}&ended_to={last}",
        )
        for step, count in numbers.stopped.items()
    ]
    return title, rows


STOP_WORDS: Final = {
    Step.LINK: "never open the capture",
    Step.CONSENT: "do so at the consent",
    Step.DOCUMENT: "do so at the document",
    Step.FACE: "do so at the face",
    Step.SUBMIT: "have captured all and do not send",
}


def issues(numbers: Numbers, before: Mapping[str, int], first: date, last: date) -> tuple[str, list[Row]]:
    """What went wrong, the most frequent first, with the change against as many days before."""
    if not numbers.issues:
        return "No issue was found in these days", []
    total = numbers.ended
    code, count = next(iter(numbers.issues.items()))
    was = before.get(code, 0)
    compared = f", up from {was:,}" if count > was else f", down from {was:,}" if count < was else ", as many as"
    title = f"{code} is the most frequent issue: {count:,}{compared} in the days before"
    most = max(numbers.issues.values())
    rows = [
        Row(
            name,
            number,
            percent(number, total),
            round(100 * number / most, 1),
            f"{LIST}?issue={name}&ended_from={first}&ended_to={last}",
            change(number - before.get(name, 0)),
        )
        for name, number in list(numbers.issues.items())[:12]
    ]
    return title, rows
