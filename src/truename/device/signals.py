"""What a device tells of itself: the body of `POST /api/sdk/device` (docs/reference/sdk-interface.md).

A native SDK can look for root, debuggers and mock locations. A web page cannot, and says only what it honestly sees.
Every field but the platform is optional; a field that is absent or null is unknown, never "no".
"""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

Words = Annotated[str, Field(max_length=500)]
Listed = Annotated[tuple[Words, ...], Field(strict=False, max_length=16)]


class Signals(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Platform(StrEnum):
    WEB = "WEB"
    ANDROID = "ANDROID"
    IOS = "IOS"


class Permission(StrEnum):
    GRANTED = "GRANTED"
    DENIED = "DENIED"
    UNAVAILABLE = "UNAVAILABLE"


class Location(Signals):
    """One fix of the device's position, with the person's permission; or that there was none."""

    permission: Annotated[Permission, Field(strict=False)]
    latitude: float | None = Field(None, ge=-90, le=90)
    longitude: float | None = Field(None, ge=-180, le=180)
    accuracy_m: float | None = Field(None, ge=0, le=100_000_000, description="Radius of confidence in metres.")
    at: Annotated[str, Field(max_length=40)] | None = Field(None, description="Time of the fix, ISO-8601.")

    @model_validator(mode="after")
    def _fix_only_when_granted(self) -> "Location":
        fix = (self.latitude, self.longitude)
        if self.permission is not Permission.GRANTED and fix != (None, None):
            raise PydanticCustomError("location_without_permission", "Coordinates may stand only with GRANTED.")
        if (self.latitude is None) != (self.longitude is None):
            raise PydanticCustomError("location_incomplete", "Latitude and longitude go together.")
        return self


class Provider(StrEnum):
    PLAY_INTEGRITY = "PLAY_INTEGRITY"
    APP_ATTEST = "APP_ATTEST"


class Attestation(Signals):
    """A platform's own statement of its integrity. It is kept as evidence; it is not verified yet."""

    provider: Annotated[Provider, Field(strict=False)]
    blob: Annotated[str, Field(min_length=1, max_length=32_768)]


class WebSigns(Signals):
    """What a page can honestly tell."""

    webdriver: bool | None = Field(None, description="`navigator.webdriver`: the browser is remote-controlled.")
    camera_labels: Listed = Field((), description="Labels of the cameras in use, once permitted.")
    virtual_camera: bool | None = Field(None, description="A camera in use calls itself virtual.")
    emulator_hints: Listed = Field((), description="Names of models or renderers that emulators have.")
    time_zone: Words | None = None
    languages: Listed = ()
    user_agent: Words | None = None
    touch_points: int | None = Field(None, ge=0, le=1000)
    screen: Words | None = None


class DeviceSignals(Signals):
    """Everything a device may report. What it claims can only add suspicion, never remove it."""

    platform: Annotated[Platform, Field(strict=False)] = Field(description="Where the SDK runs.")
    sdk_version: Words | None = None
    os: Words | None = None
    model: Words | None = None
    rooted: bool | None = None
    jailbroken: bool | None = None
    debugger: bool | None = None
    developer_mode: bool | None = None
    emulator: bool | None = None
    mock_location: bool | None = None
    vpn_interface: bool | None = Field(None, description="A VPN interface is up on the device.")
    location: Location | None = None
    attestation: Attestation | None = None
    web: WebSigns | None = None

    @model_validator(mode="after")
    def _web_signs_only_from_the_web(self) -> "DeviceSignals":
        if self.web is not None and self.platform is not Platform.WEB:
            raise PydanticCustomError("web_signs_from_native", "Web signs may stand only with the platform WEB.")
        return self
