"""Which country issued this document, and what kind of document is it?

The machine-readable zone and the barcode say it in so many letters and are believed first. Print is believed when
words for the issuer and for the kind stand on the page. What stays unsaid stays unknown.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from rapidfuzz import fuzz, process

from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType, MrzFormat
from truename.vision.document.folding import fold, fold_words
from truename.vision.document.layouts.load import countries
from truename.vision.document.layouts.model import UprightNumber
from truename.vision.document.layouts.phrases import issuer_phrases, kind_phrases, marks, own_labels, regions
from truename.vision.document.mrz.fields import country_of, is_known_issuer
from truename.vision.document.print.holders_name import is_holders_name
from truename.vision.document.print.read import TextLine

Meaning = TypeVar("Meaning")

ALPHA_3: Final = {country.alpha_3: country.alpha_2 for country in COUNTRIES.values()}
PERMITS: Final = frozenset({DocumentType.RESIDENT_PERMIT, DocumentType.TEMP_PERMIT_ID})
VISAS: Final = frozenset({MrzFormat.MRV_A, MrzFormat.MRV_B})
OF_PASSPORTS: Final = 44  # characters of a line, which begins with P, or with V
ALIKE: Final = 90
"""How alike (0–100) a long phrase must be to what was read: one wrong letter in ten."""
WHOLE_WORDS_UNDER: Final = 7
"""Shorter phrases must be whole words: PASS stands in many longer words."""
LONGEST_TO_THE_LETTER: Final = 10
"""Phrases up to this length must stand there letter by letter."""


@dataclass(frozen=True)
class Classified:
    """Country and kind with the confidence of each; None where nothing says it."""

    country: str | None = None
    type: DocumentType | None = None
    confidence: float = 0.0
    issuer_code: str | None = None
    """The issuer's three letters where they are no country of ISO 3166."""
    of_kind: float | None = None
    """The confidence of the kind alone, where it is another than that of both."""

    @property
    def sure_of_kind(self) -> float:
        return self.confidence if self.of_kind is None else self.of_kind


def from_mrz(lines: Sequence[str], valid: bool) -> Classified:
    """The first line begins with the kind (P, I, A, C, V …) and the issuer; where it was misread, it says neither."""
    code, issuer = lines[0][:2], lines[0][2:5].rstrip("<")
    if not valid and not is_known_issuer(issuer) and len(lines[0]) == OF_PASSPORTS and code[0] not in "PV":
        return Classified()
    country = country_of(issuer)
    return Classified(
        country if country in COUNTRIES else None,
        _mrz_kind(code, issuer) or (_kind_of_visas(country) if code.startswith("V") else None),
        0.98 if valid else 0.75,
        None if country in COUNTRIES else issuer or None,
    )


def from_print(lines: Sequence[TextLine]) -> Classified:
    """The words on the page: larger print counts for more, because titles are set large."""
    typical = sorted(line.height for line in lines)[len(lines) // 2] if lines else 1.0
    foot = max((line.bottom for line in lines), default=1.0)
    votes: dict[str, float] = defaultdict(float)
    kinds: dict[DocumentType, float] = defaultdict(float)
    of_regions: dict[str, float] = defaultdict(float)
    by_marks: dict[str, float] = defaultdict(float)
    named_on_top: set[str] = set()
    heading: set[str] = set()
    titles: list[_Title] = []
    homonyms: dict[str, float] = defaultdict(float)
    for line in lines:
        compact, words = fold(line.text), fold_words(line.text)
        if "<<" in line.text or not compact:
            continue
        weight = line.confidence * min(2.0, max(0.6, line.height / max(typical, 1.0)))
        # Below the title, a country is rather where someone was born.
        is_on_top = line.top <= 0.3 * foot
        standing = weight if is_on_top else 0.4 * weight
        found = _first(issuer_phrases(), compact, words)
        of_states = {region: code for region, code in regions().items() if region in compact}
        if (found or of_states) and is_holders_name(line, lines):
            continue
        if found:
            phrase, country = found
            if heading - {country} and phrase in words:
                # A state has named itself above: this one may be the holder's name, JORDAN or GEORGIA.
                standing = min(standing, 0.4 * weight)
            points = standing * (1.0 if len(phrase) >= 10 else 0.7)
            if phrase in marks():
                by_marks[country] += points
            else:
                votes[country] += points
                named_on_top |= {country} if is_on_top else set()
                heading |= {country} if is_on_top and phrase not in of_states else set()
        elif len(words) == 1 and words[0] in ALPHA_3 and len(line.text.strip()) == 3 and line.text.isupper():
            votes[ALPHA_3[words[0]]] += 0.3 * line.confidence
        if kind_found := _first(kind_phrases(), compact, words):
            titles.append(_Title(compact, *kind_found, weight * (1.0 if len(kind_found[0]) >= 8 else 0.7)))
            kinds[kind_found[1]] += titles[-1].points
        for region, code in of_states.items():
            # A state of one country that another country calls itself: GEORGIA.
            (homonyms if found and found[0] == region and found[1] != code else of_regions)[code] += standing
        if compact in ALPHA_3 and ALPHA_3[compact] in regions().values():
            of_regions[ALPHA_3[compact]] += 1.0
    for country, points in by_marks.items():
        # A state that names itself is believed before words that another's documents are known by.
        if not named_on_top or country in named_on_top:
            votes[country] += points
    for code, points in homonyms.items():
        if votes.get(code) or of_regions.get(code):
            of_regions[code] += points
    kind = _winner(kinds)
    # A state's name is a place like any other, unless the page calls itself a licence or a card of that state.
    if kind and kind[0] in (DocumentType.DRIVER_LICENSE, DocumentType.NATIONAL_ID):
        for code, points in of_regions.items():
            # Beside a state that names itself in the heading, VIRGINIA and WASHINGTON are people.
            votes[code] += points if not heading or code in heading else 0.0
    country_found = _winner(votes)
    if country_found:
        kind = _winner(_by_own_titles(titles, country_found[0]))
    if kind is None:
        kind = _numbered_licence(lines)
    of_kind = kind[1] if kind else 0.0
    country_named, sure = country_found or (None, 0.0)
    return Classified(country_named, kind[0] if kind else None, min(sure, of_kind if kind else 1.0), of_kind=of_kind)


@dataclass(frozen=True)
class _Title:
    """A line that says a kind of document."""

    folded: str
    phrase: str
    kind: DocumentType
    points: float


def _by_own_titles(titles: Sequence[_Title], country: str) -> dict[DocumentType, float]:
    """What the titles are worth for each kind, with those of the country's own file before the words in them.

    `Identity card of non-Thai` is what Thailand calls a residence permit, though it says identity card. `Passport No`
    on a work permit of the country's file makes no passport of it.
    """
    own, of_others = _own_titles(country), _labels_of_others(country)
    kinds: dict[DocumentType, float] = defaultdict(float)
    for title in titles:
        if any(title.phrase in label and title.folded.startswith(label) for label in of_others[title.kind]):
            continue
        whole = process.extractOne(title.folded, own.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE)
        kind = own[whole[0]] if whole and len(whole[0]) > len(title.phrase) else title.kind
        kinds[kind] += title.points
    return kinds


def _own_titles(country: str) -> Mapping[str, DocumentType]:
    """What documents of one kind alone call themselves in this country, folded; not what the state calls itself."""
    known = countries().get(country)
    if known is None:
        return {}
    kinds: dict[str, set[DocumentType]] = {}
    for document in known.documents:
        for title in document.titles:
            kinds.setdefault(fold(title), set()).add(document.kind)
    issuers = {"", *map(fold, known.issuers)}
    return {title: min(named) for title, named in kinds.items() if len(named) == 1 and title not in issuers}


def _labels_of_others(country: str) -> Mapping[DocumentType, frozenset[str]]:
    """By kind the labels, folded, that only documents of other kinds print in this country, and no title of any."""
    known = countries().get(country)
    kinds = {document.kind for document in known.documents} if known else set()
    of_kind = {kind: frozenset(own_labels(country, kind)) for kind in kinds}
    printed, titles = frozenset[str]().union(*of_kind.values()), _own_titles(country).keys()
    return {kind: printed - of_kind.get(kind, frozenset()) - titles for kind in DocumentType}


def names_issuer_or_kind(text: str) -> bool:
    """Does a line say who issued the document, or what it is?"""
    compact, words = fold(text), fold_words(text)
    return bool(compact) and any(_first(phrases, compact, words) for phrases in (issuer_phrases(), kind_phrases()))


def from_layout(lines: Sequence[TextLine]) -> Classified:
    """Documents that are told by their form where the recogniser does not know the script."""
    for code, country in countries().items():
        for document in country.documents:
            if document.upright_number is not None and _has_upright_number(lines, document.upright_number):
                return Classified(code, document.kind, 0.7)
    return Classified()


def _has_upright_number(lines: Sequence[TextLine], told_by: UprightNumber) -> bool:
    """Does a number stand along an edge, and one of the words for the sex somewhere?"""
    digits = re.compile(rf"\d{{{told_by.digits_at_end}}}$")
    number = any(
        line.bottom - line.top > 2 * (line.right - line.left) and digits.search(line.text.strip()) for line in lines
    )
    return number and any(fold(line.text) in told_by.sex_words for line in lines)


def combine(*opinions: Classified) -> Classified:
    """The most trusted opinion first; a later one only fills what is still unknown."""
    country = next((opinion for opinion in opinions if opinion.country or opinion.issuer_code), Classified())
    kinds = [opinion for opinion in opinions if opinion.type]
    kind = kinds[0] if kinds else Classified()
    # The zone's letter I is used for cards of every kind: a title that says more is more exact.
    if kind.type is DocumentType.NATIONAL_ID:
        kind = next((opinion for opinion in kinds if opinion.type in PERMITS and opinion.sure_of_kind > 0.6), kind)
    confidence = min(country.confidence, kind.sure_of_kind)
    return Classified(country.country, kind.type, confidence, country.issuer_code)


def may_be_another_book(issuer: str) -> bool:
    """Does a layout file of this issuer give the zone of a passport to another kind of book, which its title names?"""
    known = countries().get(country_of(issuer) or "")
    zones = {one.zone for one in known.documents if one.kind is not DocumentType.PASSPORT} if known else set()
    return MrzFormat.TD3 in zones


def is_foreign_to_us(code: str) -> bool:
    """Does the zone say that it is a visa, a crew member's certificate (AC) or another paper that we do not accept?"""
    return code == "AC" or code[:1] not in {"P", "D", "I", "A", "C"}


def _mrz_kind(code: str, issuer: str) -> DocumentType | None:
    first, second = code[:1], code[1:2]
    if (issuer, code) == ("RUS", "PN"):
        return DocumentType.NATIONAL_ID  # the internal passport
    if first == "P":
        return DocumentType.PASSPORT
    if first == "D":
        return DocumentType.DRIVER_LICENSE
    if is_foreign_to_us(code):
        return None
    if second == "R" or (issuer, code) == ("ESP", "IX") or (issuer == "USA" and first == "C"):
        return DocumentType.RESIDENT_PERMIT
    if (issuer, code) == ("USA", "IA"):
        return DocumentType.TEMP_PERMIT_ID
    return DocumentType.NATIONAL_ID


def _kind_of_visas(country: str | None) -> DocumentType | None:
    """What a layout file of the country says that papers with the zone of a visa are; None where it knows none.

    The service accepts no visas, unless its operator describes them as permits.
    """
    known = countries().get(country or "")
    kinds = {document.kind for document in known.documents if document.zone in VISAS} if known else set()
    return kinds.pop() if len(kinds) == 1 else None


def _first(phrases: Sequence[tuple[str, Meaning]], compact: str, words: Sequence[str]) -> tuple[str, Meaning] | None:
    """The longest phrase that a line says; where it says none to the letter, one that it nearly says.

    The phrases stand longest first: those that are too long for the line, most of them, are passed over at once.
    """
    short = _from_length(phrases, WHOLE_WORDS_UNDER - 1)
    for phrase, meaning in phrases[_from_length(phrases, len(compact)) : short]:
        if phrase in compact:
            return phrase, meaning
    for phrase, meaning in phrases[short:]:
        if phrase in words or compact == phrase:
            return phrase, meaning
    near = phrases[_from_length(phrases, len(compact) + 1) : _from_length(phrases, LONGEST_TO_THE_LETTER)]
    scorer, listed = fuzz.partial_ratio, [phrase for phrase, _ in near]
    alike = process.extract(compact, listed, scorer=scorer, score_cutoff=ALIKE, limit=None) if listed else ()
    return near[min(place for _, _, place in alike)] if alike else None


def _from_length(phrases: Sequence[tuple[str, Meaning]], longest: int) -> int:
    """Where the phrases begin that are no longer than this."""
    return bisect_left(phrases, -longest, key=lambda entry: -len(entry[0]))


def _winner(votes: Mapping[Meaning, float]) -> tuple[Meaning, float] | None:
    if not votes:
        return None
    ranked = sorted(votes.items(), key=lambda vote: -vote[1])
    best, points = ranked[0]
    runner_up = ranked[1][1] if len(ranked) > 1 else 0.0
    is_clear = points >= 0.5 and points - runner_up >= 0.1
    return (best, min(0.95, 0.5 + 0.45 * (points - runner_up) / (points + 0.5))) if is_clear else None


def _numbered_licence(lines: Sequence[TextLine]) -> tuple[DocumentType, float] | None:
    """The European model numbers its fields; 4a, 4b and 4c together are found on nothing else."""
    numbers = {match for line in lines for match in re.findall(r"\b4[abcd]\b", line.text.lower())}
    return (DocumentType.DRIVER_LICENSE, 0.7) if len(numbers) >= 2 else None
