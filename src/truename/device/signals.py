"""What a device tells of itself: the documented schema of `POST /api/sdk/device`.

A native SDK can look for root, debuggers and mock locations. A web page cannot, and says only what it honestly sees.
Every field is optional; a field that is absent is unknown, never "no".
"""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Word = Annotated[str, Field(max_length=120)]


class Signals(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Platform(StrEnum):
    IOS = "ios"
    ANDROID = "android"
    WEB = "web"


class Gps(Signals):
    """One fix of the device's position, given with the person's permission."""

    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)
    accuracy_m: float = Field(ge=0, le=100_000_000, description="Radius of 68 % confidence in metres.")


class Attestation(Signals):
    """A platform's own statement (Play Integrity, App Attest). It is kept as evidence; it is not verified yet."""

    provider: Annotated[str, Field(pattern=r"\A(play_integrity|app_attest|other)\z")]
    blob: Annotated[str, Field(min_length=1, max_length=32_768, pattern=r"\A[A-Za-z0-9+/=_.\-]+\z")]


class WebSigns(Signals):
    """What a page can honestly tell."""

    webdriver: bool | None = Field(None, description="`navigator.webdriver`: the browser is remote-controlled.")
    camera_labels: tuple[Word, ...] = Field(
        (), strict=False, max_length=32, description="Labels of the cameras, once permitted."
    )
    camera_in_use: Word | None = Field(None, description="Label of the camera that took the pictures.")
    emulator_hints: tuple[Word, ...] = Field(
        (), strict=False, max_length=32, description="Model or renderer names of emulators."
    )
    user_agent: Annotated[str, Field(max_length=512)] | None = None


class DeviceSignals(Signals):
    """Everything a device may report. What it claims can only add suspicion, never remove it."""

    platform: Annotated[Platform, Field(strict=False)] = Field(description="Where the SDK runs.")
    sdk_version: Word | None = None
    os_version: Word | None = None
    model: Word | None = None
    rooted: bool | None = None
    jailbroken: bool | None = None
    debugger: bool | None = None
    developer_mode: bool | None = None
    emulator: bool | None = None
    mock_location: bool | None = None
    vpn_interface: bool | None = Field(None, description="A VPN interface is up on the device.")
    gps: Gps | None = Field(None, description="Absent when the person did not permit it.")
    time_zone: Annotated[str, Field(max_length=64, pattern=r"\A[A-Za-z0-9_+\-/]+\z")] | None = None
    attestation: Attestation | None = None
    web: WebSigns | None = None
