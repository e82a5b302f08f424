"""Who stands before the camera: a freshly drawn document, a head and a phone, for one scenario."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final

import cv2
import numpy as np

from truename.rules.config import Config, DataMatching
from truename.rules.evidence import DocumentType
from truename.sandbox.drawing.document_words import STYLES
from truename.sandbox.drawing.documents import id_card, passport
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.heads import head_recording
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Issue, Person, Portrait, SyntheticDocument
from truename.vision.captures import Frame, Picture, Step
from truename.vision.document.layouts.model import DocumentLayout, Script
from truename.vision.document.layouts.phrases import documents_of
from truename.vision.images import encode_jpeg

CLEAN: Final[Mapping[str, object]] = {
    "platform": "ANDROID",
    "rooted": False,
    "debugger": False,
    "developer_mode": False,
    "emulator": False,
    "mock_location": False,
}
GIVEN_NAMES: Final = {
    "F": ("ANNA", "MARTA LUCIA", "ELENA", "SOFIA", "INES"),
    "M": ("PABLO", "JAN ERIK", "MARCO", "LUIS"),
}
SURNAMES: Final = ("ESPECIMEN", "MUSTER", "RIVERA SOLER", "NOVAK", "LINDGREN", "OKAFOR", "MARINHO")
SIZE: Final = (1600, 1200)
LONGEST: Final = 3000
"""Days that a document is still valid at the most; fewer where its kind is issued for less."""
DRAWN: Final = (DocumentType.NATIONAL_ID, DocumentType.RESIDENT_PERMIT, DocumentType.PASSPORT)
"""Types of documents that can be drawn for each of the countries whose words are known."""


class CannotDraw(Exception):
    """What is wanted cannot be drawn; the sentence says why."""


@dataclass(frozen=True)
class Act:
    """What differs, in front of the camera, from a verification that is approved."""

    signals: Mapping[str, object] = field(default_factory=dict)
    person: Mapping[str, object] = field(default_factory=dict)
    issue: Issue = field(default_factory=Issue)
    moves: bool = True
    ends_early: bool = False
    """The person begins and does not end."""


ACTS: Final[Mapping[str, Act]] = {
    "approved": Act(),
    "compromised-device": Act(signals={"rooted": True}),
    "developer-mode": Act(signals={"developer_mode": True}),
    "emulator": Act(signals={"emulator": True}),
    "mock-location": Act(signals={"mock_location": True}),
    "vpn-or-proxy": Act(signals={"vpn_interface": True}),
    "expired-document": Act(issue=Issue(expires=date(2019, 4, 30))),
    "no-face-on-document": Act(issue=Issue(portrait=Portrait.NONE)),
    "face-mismatch": Act(issue=Issue(portrait=Portrait.ANOTHERS)),
    "name-mismatch": Act(person={"given_names": "WOLFGANG"}),
    "surname-mismatch": Act(person={"surnames": "SCHMIDT"}),
    "date-of-birth-mismatch": Act(person={"born": date(1953, 2, 1)}),
    "document-number-mismatch": Act(issue=Issue(number="Q9999999")),
    "challenge-failed": Act(moves=False),
    "in-progress": Act(ends_early=True),
}
"""The scenarios of the list that can be shown to a camera; the others are for the simulation without pictures."""


@dataclass(frozen=True)
class Performance:
    """Everything that one person shows, ready to be photographed."""

    act: Act
    document: SyntheticDocument
    seed: int

    @property
    def signals(self) -> dict[str, object]:
        """The report of the device."""
        return {**CLEAN, **self.act.signals}

    def photographs(self) -> tuple[bytes, bytes | None]:
        """Front and back, each on a table, a little turned."""
        front, back = self.document.front, self.document.back
        return self._photograph(front, 0), None if back is None else self._photograph(back, 1)

    def _photograph(self, page: Picture, number: int) -> bytes:
        random = np.random.default_rng(self.seed + number)
        rotation = float(random.uniform(-4, 4))
        seed = self.seed + number
        taken, _ = photograph(
            page, seed=seed, rotation=rotation, perspective=0.2, background="wood", size=SIZE, noise=0.0
        )
        return encode_jpeg(_with_noise(taken, seed))

    def frames(self, steps: Sequence[Step]) -> list[Frame]:
        """A head that follows the challenge, if the act says so."""
        # In hundredths, so that of many runs in a row several share what is made of the still.
        share = round(float(np.random.default_rng(self.seed).uniform(0.33, 0.41)), 2)
        return head_recording(steps, self.seed, share, self.act.moves)


def _with_noise(picture: Picture, seed: int) -> Picture:
    """A sensor's noise, by the quick way: a third of the time of the photograph would be spent on it otherwise."""
    noise = np.random.default_rng(seed).integers(-5, 6, picture.shape, np.int8)
    return np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8)


def act_of(scenario: str) -> Act:
    """What a scenario shows; raises CannotDraw for one that no camera can show."""
    act = ACTS.get(scenario)
    if act is None:
        raise CannotDraw(f"{scenario!r} cannot be shown to a camera. Those that can: {', '.join(ACTS)}.")
    return act


def perform(
    scenario: str, accepted: Sequence[tuple[str, DocumentType]], config: Config | None, today: date, seed: int
) -> Performance:
    """One who does not exist, with a document that the transaction accepts and that says what its config expects.

    Without a config (only the SDK's token is known) the person is anybody. Raises CannotDraw for a scenario that no
    camera can show, and where none of the accepted documents can be drawn.
    """
    act = act_of(scenario)
    expected = (config.document_policy.data_matching if config else None) or DataMatching()
    country, kind = _kind(accepted, expected)
    random = np.random.default_rng(seed)
    sex = expected.gender.value if expected.gender else str(random.choice(["F", "M"]))
    born = expected.date_of_birth or date(1960, 1, 1) + timedelta(days=int(random.integers(0, 40 * 365)))
    names, surnames = GIVEN_NAMES.get(sex, ("KIM",)), SURNAMES
    person = Person(
        surnames=expected.surnames.value if expected.surnames else str(random.choice(surnames)),
        given_names=expected.given_names.value if expected.given_names else str(random.choice(names)),
        sex=sex,
        born=born,
        place_of_birth=STYLES[country].name.split()[-1] if country in STYLES else "NOVIGRAD",
    )
    person = replace(person, **act.person)  # type: ignore[arg-type]
    layout = None if country in STYLES and kind in DRAWN else _layout(country, kind)
    most = min(LONGEST, 365 * max(layout.years, default=10)) if layout else LONGEST
    expires = act.issue.expires or today + timedelta(days=int(random.integers(200, most)))
    issue = replace(act.issue, expires=expires, number=act.issue.number or expected.document_number)
    draws = int(random.integers(0, 2**31))
    if layout is not None:
        return Performance(act, draw(country, layout, person, draws, issue), seed)
    if kind is DocumentType.PASSPORT:
        return Performance(act, passport(person, country, draws, issue), seed)
    card = id_card(person, country, draws, kind is DocumentType.RESIDENT_PERMIT, issue)
    return Performance(act, card, seed)


def _kind(accepted: Sequence[tuple[str, DocumentType]], expected: DataMatching) -> tuple[str, DocumentType]:
    """A document that is accepted, expected and can be drawn; the Spanish card where it is one of them."""
    drawable = [(country, kind) for country in ("ES", *STYLES) for kind in DRAWN]
    for country, kind in drawable:
        fits = expected.document_issuing_country in (None, country) and expected.document_type in (None, kind)
        if (country, kind) in accepted and fits:
            return country, kind
    for country, kind in accepted:
        fits = expected.document_issuing_country in (None, country) and expected.document_type in (None, kind)
        if fits and _layouts(country, kind):
            return country, kind
    raise CannotDraw(
        "None of the documents that this transaction accepts can be drawn. "
        f"Those that can: identity card, residence permit and passport of {', '.join(STYLES)}, and what "
        "`truename layouts list` shows in Latin letters."
    )


def _layout(country: str, kind: DocumentType) -> DocumentLayout:
    """The newest version that can be drawn."""
    return _layouts(country, kind)[-1]


def _layouts(country: str, kind: DocumentType) -> list[DocumentLayout]:
    """What can be drawn for anybody: names that a config expects are printed as they are, in Latin letters."""
    return [layout for layout in documents_of(country, kind) if layout.script is Script.LATIN]
