"""The base of every piece of evidence, and pieces that need no other."""

from pydantic import BaseModel, ConfigDict


class Fact(BaseModel):
    """Base of every piece of evidence: frozen, closed and strict, so that a typo is an error and "12" is no number.

    What was stored as JSON is read back by `model_validate_json`, which knows enums and dates by their text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, ser_json_inf_nan="null")


class SeenStep(Fact):
    """One step of the challenge: what was asked for, when, and what was seen at its end.

    Angles are degrees from the straight look, left (the person's own) and up positive; sizes are of 1 there. What was
    asked is None where the step asks for none; what was seen is None where no face could be followed.
    """

    step: str
    from_ms: int
    """Of its first and last frame, since the challenge was given."""
    to_ms: int
    done: bool
    asked_yaw: float | None = None
    asked_pitch: float | None = None
    asked_size: float | None = None
    seen_yaw: float | None = None
    seen_pitch: float | None = None
    seen_size: float | None = None
