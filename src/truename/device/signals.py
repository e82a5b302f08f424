"""What a device tells of itself: the body of `POST /api/sdk/device` (docs/reference/sdk-interface.md).

A native SDK can look for root, debuggers and mock locations. A web page cannot, and says only what it honestly sees.
Every field but the platform is optional; a field that is absent or null is unknown, never "no".
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from truename.rules.config_values import Closed, whole_number
from truename.rules.faults import at_most

Words = Annotated[str, Field(max_length=500)]
Listed = Annotated[tuple[Words, ...], Field(strict=False, max_length=16), at_most(16)]


class Signals(Closed):
    """Base of every part of a report: no number in it may be infinite."""

    model_config = ConfigDict(allow_inf_nan=False)


class Platform(StrEnum):
    """What the SDK runs on."""

    WEB = "WEB"
    ANDROID = "ANDROID"
    IOS = "IOS"


class Permission(StrEnum):
    """What became of the question for the device's position."""

    GRANTED = "GRANTED"
    DENIED = "DENIED"
    UNAVAILABLE = "UNAVAILABLE"


def _both(kind: str) -> dict[str, Any]:
    """In JSON Schema: latitude and longitude are both of this kind; null is the same as absent."""
    pair = ["latitude", "longitude"]
    return {"properties": {name: {"type": kind} for name in pair}, "required": [] if kind == "null" else pair}


class Location(Signals):
    """One fix of the device's position, with the person's permission; or that there was none."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"permission": {"const": "GRANTED"}}},
            "then": {"anyOf": [_both("number"), _both("null")]},
            "else": _both("null"),
        }
    )

    permission: Annotated[Permission, Field(strict=False)]
    """What the person, or the platform, said."""
    latitude: float | None = Field(None, ge=-90, le=90)
    """Degrees; only with GRANTED, and with the longitude."""
    longitude: float | None = Field(None, ge=-180, le=180, validate_default=True)
    """Degrees; only with GRANTED, and with the latitude."""
    accuracy_m: float | None = Field(None, ge=0, le=100_000_000, description="Radius of confidence in metres.")
    at: Annotated[str, Field(max_length=40)] | None = Field(None, description="Time of the fix, ISO-8601.")

    @field_validator("latitude", "longitude")
    @classmethod
    def _only_when_granted(cls, degrees: float | None, info: ValidationInfo) -> float | None:
        if degrees is not None and info.data.get("permission", Permission.GRANTED) is not Permission.GRANTED:
            raise PydanticCustomError("location_without_permission", "Coordinates may stand only with GRANTED.")
        return degrees

    @field_validator("longitude")
    @classmethod
    def _with_the_latitude(cls, longitude: float | None, info: ValidationInfo) -> float | None:
        latitude = info.data.get("latitude", longitude)  # a faulty one was there, too
        if (latitude is None) != (longitude is None):
            raise PydanticCustomError("location_incomplete", "Latitude and longitude go together.")
        return longitude


class Provider(StrEnum):
    """Whose attestation of the device it is."""

    PLAY_INTEGRITY = "PLAY_INTEGRITY"
    APP_ATTEST = "APP_ATTEST"


class Attestation(Signals):
    """A platform's own statement of its integrity. It is kept as evidence; it is not verified yet."""

    provider: Annotated[Provider, Field(strict=False)]
    """Whose statement it is."""
    blob: Annotated[str, Field(min_length=1, max_length=32_768)]
    """The statement as the platform gave it."""


class WebSigns(Signals):
    """What a page can honestly tell."""

    webdriver: bool | None = Field(None, description="`navigator.webdriver`: the browser is remote-controlled.")
    camera_labels: Listed = Field((), description="Labels of the cameras in use, once permitted.")
    virtual_camera: bool | None = Field(None, description="A camera in use calls itself virtual.")
    emulator_hints: Listed = Field((), description="Names of models or renderers that emulators have.")
    time_zone: Words | None = None
    """IANA name, for example Europe/Madrid."""
    languages: Listed = ()
    """The browser's, most wanted first."""
    user_agent: Words | None = None
    """As the browser calls itself."""
    touch_points: Annotated[int, Field(ge=0, le=1000), BeforeValidator(whole_number)] | None = None
    """Fingers that the screen can tell apart."""
    screen: Words | None = None
    """Size and density, for example 412x915@2.6."""


class DeviceSignals(Signals):
    """Everything a device may report. What it claims can only add suspicion, never remove it."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"platform": {"const": "WEB"}}},
            "else": {"properties": {"web": {"type": "null"}}},
        }
    )

    platform: Annotated[Platform, Field(strict=False)] = Field(description="Where the SDK runs.")
    sdk_version: Words | None = None
    """Version of the SDK."""
    os: Words | None = None
    """Operating system and its version."""
    model: Words | None = None
    """Model of the device."""
    rooted: bool | None = None
    """Android: the device is rooted. Null, here and below: cannot tell."""
    jailbroken: bool | None = None
    """iOS: the device is jailbroken."""
    debugger: bool | None = None
    """The app runs under a debugger."""
    developer_mode: bool | None = None
    """Developer mode is switched on."""
    emulator: bool | None = None
    """The device is an emulator or simulator."""
    mock_location: bool | None = None
    """The location is simulated."""
    vpn_interface: bool | None = Field(None, description="A VPN interface is up on the device.")
    location: Location | None = None
    """Where the device is, if the person allowed it."""
    attestation: Attestation | None = None
    """The platform's own statement of its integrity."""
    web: WebSigns | None = None
    """What a page can tell; only with the platform WEB."""

    @field_validator("web")
    @classmethod
    def _only_from_the_web(cls, web: WebSigns | None, info: ValidationInfo) -> WebSigns | None:
        if web is not None and info.data.get("platform", Platform.WEB) is not Platform.WEB:
            raise PydanticCustomError("web_signs_from_native", "Web signs may stand only with the platform WEB.")
        return web
