"""What kind of device somebody used, in words that need no fingerprint: for numbers, never for a judgement."""

from enum import StrEnum
from typing import Final

from truename.device.signals import DeviceSignals, Platform


class DeviceKind(StrEnum):
    """Kinds of devices, and whether our page or an app with the SDK ran on them."""

    ANDROID_APP = "ANDROID_APP"
    IOS_APP = "IOS_APP"
    ANDROID_BROWSER = "ANDROID_BROWSER"
    IOS_BROWSER = "IOS_BROWSER"
    COMPUTER = "COMPUTER"

    @property
    def words(self) -> str:
        """As a person says it."""
        return KIND_WORDS[self]


KIND_WORDS: Final = {
    DeviceKind.ANDROID_APP: "Android, app",
    DeviceKind.IOS_APP: "iPhone or iPad, app",
    DeviceKind.ANDROID_BROWSER: "Android, browser",
    DeviceKind.IOS_BROWSER: "iPhone or iPad, browser",
    DeviceKind.COMPUTER: "computer",
}


def device_kind(signals: DeviceSignals) -> DeviceKind:
    """The kind of the device that sent this report. An iPad calls itself a Macintosh, but has a screen to touch."""
    if signals.platform is not Platform.WEB:
        return DeviceKind.ANDROID_APP if signals.platform is Platform.ANDROID else DeviceKind.IOS_APP
    agent = (signals.web.user_agent if signals.web else None) or ""
    touched = (signals.web.touch_points if signals.web else None) or 0
    if "Android" in agent:
        return DeviceKind.ANDROID_BROWSER
    if "iPhone" in agent or "iPad" in agent or ("Macintosh" in agent and touched > 1):
        return DeviceKind.IOS_BROWSER
    return DeviceKind.COMPUTER


def device_looks(signals: DeviceSignals) -> str | None:
    """What a device is told apart by, as one text; None when it told too little. Many devices may look the same."""
    web = signals.web
    parts = [signals.platform.value, signals.os, signals.model]
    if web is not None:
        parts += [web.user_agent, web.screen, web.time_zone, ",".join(web.languages) or None]
    told = [part for part in parts if part]
    return "\n".join(told) if len(told) >= 3 else None
