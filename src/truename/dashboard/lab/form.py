"""What somebody moved or pasted in the lab, as a policy; untouched fields stay as each transaction had them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from truename.backtest.model import OtherConfig, policy_of
from truename.backtest.policy import Mode, OtherPolicy
from truename.rules.config import Action, DevicePolicy

RANGES: Final = {"7": "7 days", "30": "30 days", "90": "90 days", "365": "a year"}
ACTIONS: Final = tuple(Action)
LOWEST, HIGHEST = 0.1, 1.0
STEPS: Final = (0.01, 0.001)
"""Of the slider's handle: the first that meets the limit, which a browser would else move to the next it does meet."""


@dataclass(frozen=True, slots=True)
class Slider:
    """A limit that can be moved."""

    name: str
    label: str
    is_face: bool


SLIDERS: Final = (
    Slider("face_comparison_min_score", "Face comparison", True),
    Slider("liveness_min_score", "Liveness", False),
)
CHOICES: Final = tuple(DevicePolicy.model_fields)
CHOICE_WORDS: Final = {
    "on_compromised_device": "Compromised device",
    "on_developer_mode": "Developer mode",
    "on_emulator": "Emulator",
    "on_vpn_or_proxy": "VPN or proxy",
    "on_gps_mock_location": "Simulated location",
    "on_gps_ip_location_mismatch": "Location and address differ",
}


@dataclass(frozen=True, slots=True)
class Moved:
    """The state of the form."""

    days: str
    values: Mapping[str, float]
    """Each slider, moved or not."""
    used: frozenset[str]
    """The sliders that were moved."""
    actions: Mapping[str, str]
    """Each choice; an empty text leaves it as it was."""

    @property
    def changes(self) -> bool:
        return bool(self.used) or any(self.actions.values())

    def step(self, slider: str) -> str:
        """By how much the handle of this slider moves, so that it can stand where the limit was set."""
        value = self.values[slider]
        return next((str(step) for step in STEPS if abs(value / step - round(value / step)) < 1e-9), "any")

    def policy(self) -> OtherPolicy:
        """Only what was moved is changed."""
        biometric = {name: self.values[name] for name in sorted(self.used)}
        device = {name: action for name, action in self.actions.items() if action}
        said: dict[str, object] = {}
        if biometric:
            said["biometric_policy"] = biometric
        if device:
            said["device_policy"] = device
        return policy_of(OtherConfig.model_validate(said), Mode.CHANGE)


def moved(query: Mapping[str, str]) -> Moved:
    """The state that an address or a form tells; what cannot be is taken for untouched."""
    days = query.get("days", "30")
    values = {slider.name: _score(query.get(slider.name, "")) for slider in SLIDERS}
    used = frozenset(slider.name for slider in SLIDERS if query.get(f"use_{slider.name}"))
    known = {action.value for action in ACTIONS}
    actions = {name: query.get(name, "") if query.get(name, "") in known else "" for name in CHOICES}
    return Moved(days if days in RANGES else "30", values, used, actions)


def _score(text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        return 0.85
    return min(HIGHEST, max(LOWEST, score)) if score == score else 0.85


class BadConfig(ValueError):
    """The pasted config cannot be used; each fault is a sentence."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


def pasted(text: str, mode: str) -> OtherPolicy:
    """A pasted config as a policy; raises BadConfig."""
    try:
        config = OtherConfig.model_validate_json(text or "{}")
    except ValidationError as bad:
        found = bad.errors(include_url=False)
        faults = [f"{'/'.join(map(str, one['loc'])) or 'config'}: {one['msg']}" for one in found]
        raise BadConfig(faults[:20]) from None
    return policy_of(config, Mode.CHANGE if mode == Mode.CHANGE else Mode.REPLACE)
