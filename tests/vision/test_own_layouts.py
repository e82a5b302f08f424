"""Layout files of the operator's own: read in place of ours, and what only they describe is accepted."""

import hashlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from tests.support.dossiers import a_dossier, issues_of
from truename.rules import documents
from truename.rules.documents import Expiry, SupportedDocument
from truename.rules.dossier import Dossier
from truename.rules.evidence import DocumentType, FieldName, Source
from truename.rules.results import CheckName, Outcome
from truename.rules.verdict import evaluate
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.layout_values import PrintedValues
from truename.sandbox.drawing.native_people import people_of
from truename.sandbox.drawing.subjects import Issue, Person
from truename.vision.captures import Captures
from truename.vision.configuration import VisionConfiguration, configured
from truename.vision.document.layouts.load import countries, operators_own
from truename.vision.document.layouts.model import FieldLayout, LayoutField, NameOrder, Script
from truename.vision.document.layouts.own import use_own_layouts
from truename.vision.document.layouts.supported import supported_by
from truename.vision.document.layouts.wrong import WrongLayout
from truename.vision.document.read import read_document
from truename.vision.examine import examine
from truename.vision.images import encode_jpeg

TODAY = date(2026, 11, 15)
TANZANIA = """
country = "TZ"
languages = ["en"]
issuers = ["Jamhuri ya Muungano wa Tanzania"]

[[documents]]
kind = "NATIONAL_ID"
version = "2013"
known_from = "description"
form = "ID-1"
titles = ["Kitambulisho cha Taifa"]
dates = "DD MON YYYY"
labels_stand = "LEFT"
[documents.fields]
given_names = { labels = ["JINA LA KWANZA"] }
surnames = { labels = ["JINA LA MWISHO"] }
date_of_birth = { labels = ["TAREHE YA KUZALIWA"] }
gender = { labels = ["JINSI"], printed = ["M", "F"] }
document_number = { labels = [], formats = ["{YYYY}{MM}{DD}-#####-#####-##"] }
date_of_expiry = { labels = ["MWISHO WA MATUMIZI"] }
"""
KEY = ("TZ", DocumentType.NATIONAL_ID)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tz.toml").write_text(TANZANIA, "utf-8")
    return tmp_path


@pytest.fixture
def own(folder: Path) -> Iterator[Path]:
    """The process as `configure_vision` leaves it where TRUENAME_LAYOUTS names the folder."""
    with configured(VisionConfiguration(layouts=folder)):
        use_own_layouts()
        yield folder
    use_own_layouts()


@pytest.mark.slow
def test_a_card_that_only_an_own_file_describes_is_read_and_accepted(folder: Path) -> None:
    assert documents.find(*KEY) is None
    with configured(VisionConfiguration(layouts=folder)):
        use_own_layouts()
        [layout] = countries()["TZ"].documents
        drawn = draw("TZ", layout, seed=3)
        found = read_document(drawn.front, None, TODAY).evidence
        assert (found.country, found.type) == KEY
        assert {name: found.value(name) for name in drawn.fields} == drawn.fields
        assert "DOCUMENT_TYPE_NOT_SUPPORTED" not in issues_of(a_dossier(document=found))
        assert documents.supported() == tuple(sorted(documents.supported(), key=lambda row: row.country))
    use_own_layouts()
    assert documents.find(*KEY) is None


@pytest.mark.slow
def test_who_judges_again_without_the_file_comes_to_the_same(folder: Path) -> None:
    """On another machine, or after the file was taken away: what it says of the kind is stored with the evidence."""
    text = TANZANIA.replace('["MWISHO WA MATUMIZI"]', '["MWISHO WA MATUMIZI"], without_end = "MAISHA YOTE"')
    (folder / "tz.toml").write_text(text, "utf-8")
    with configured(VisionConfiguration(layouts=folder)):
        use_own_layouts()
        drawn = draw("TZ", countries()["TZ"].documents[0], seed=3)
        found = read_document(drawn.front, None, TODAY).evidence
        dossier = a_dossier(document=found)
        judged = evaluate(dossier)
    use_own_layouts()
    assert documents.find(*KEY) is None
    assert evaluate(Dossier.model_validate_json(dossier.model_dump_json())) == judged
    results = {result.check: result for result in judged.checks}
    assert results[CheckName.DOCUMENT_SUPPORTED].outcome is Outcome.PASSED
    assert results[CheckName.DOCUMENT_EXPIRY].reason == "WITHOUT_END"


@pytest.mark.slow
def test_the_evidence_names_the_own_file_that_it_was_read_by(own: Path) -> None:
    drawn = draw("TZ", countries()["TZ"].documents[0], seed=3)
    captures = Captures(document_front=encode_jpeg(drawn.front), wants_liveness=False)
    used = {one.name: one for one in examine(captures, today=TODAY).evidence.engine}
    assert used["layouts/TZ"].sha256 == hashlib.sha256((own / "tz.toml").read_bytes()).hexdigest()
    assert not any(name.startswith("layouts/") and name != "layouts/TZ" for name in used)


@pytest.mark.slow
def test_words_of_an_own_file_say_that_a_card_has_no_end(folder: Path) -> None:
    text = TANZANIA.replace('["MWISHO WA MATUMIZI"]', '["MWISHO WA MATUMIZI"], without_end = "MAISHA YOTE"')
    (folder / "tz.toml").write_text(text, "utf-8")
    with configured(VisionConfiguration(layouts=folder)):
        use_own_layouts()
        drawn = draw("TZ", countries()["TZ"].documents[0], seed=3)
        found = read_document(drawn.front, None, TODAY).evidence
        assert found.value(FieldName.DATE_OF_EXPIRY) == documents.WITHOUT_END.isoformat()
    use_own_layouts()


@pytest.mark.slow
@pytest.mark.parametrize("lines", [1, 2])
def test_a_name_below_a_short_title_is_read_in_as_many_lines_as_the_file_says(folder: Path, lines: int) -> None:
    """It stands beside the portrait, further right than the title reaches."""
    first = TANZANIA.index("given_names")
    text = f'{TANZANIA[:first]}full_name = {{ labels = [], below_title = {lines}, order = "GIVEN_FIRST" }}\n'
    text += TANZANIA[TANZANIA.index("date_of_birth") :]
    (folder / "tz.toml").write_text(text.replace("Kitambulisho cha Taifa", "Taifa"), "utf-8")
    with configured(VisionConfiguration(layouts=folder)):
        use_own_layouts()
        drawn = draw("TZ", countries()["TZ"].documents[0], seed=3)
        found = read_document(drawn.front, None, TODAY).evidence
        assert found.value(FieldName.SURNAMES) == drawn.fields[FieldName.SURNAMES] == "LINDGREN"
        assert found.value(FieldName.GIVEN_NAMES) == drawn.fields[FieldName.GIVEN_NAMES]
    use_own_layouts()


def test_an_own_file_takes_the_place_of_ours_but_the_table_stays_as_it_is(own: Path) -> None:
    before = documents.find("ES", DocumentType.NATIONAL_ID)
    (own / "es.toml").write_text(TANZANIA.replace('"TZ"', '"ES"'), "utf-8")
    other = own.parent / "other"
    own.rename(other)
    with configured(VisionConfiguration(layouts=other)):
        use_own_layouts()
        assert set(operators_own()) == {"ES", "TZ"}
        assert [layout.version for layout in countries()["ES"].documents] == ["2013"]
        assert documents.find("ES", DocumentType.NATIONAL_ID) == before


@pytest.mark.parametrize(
    ("was", "becomes", "row"),
    [
        ("", "", SupportedDocument(*KEY, (Source.VISUAL,), back=False)),
        (
            'form = "ID-1"',
            'form = "ID-1"\nzone = "TD1"\nzone_side = "back"\nzone_number = "card_number"',
            SupportedDocument(
                *KEY,
                (Source.MRZ, Source.VISUAL),
                back=True,
                number=(FieldName.PERSONAL_NUMBER, FieldName.DOCUMENT_NUMBER),
            ),
        ),
        (
            'labels = ["MWISHO WA MATUMIZI"]',
            'labels = ["MWISHO WA MATUMIZI"], side = "back", without_end = "HADI KUFA"',
            SupportedDocument(*KEY, (Source.VISUAL,), back=True, expiry=Expiry.MAY_SAY_WITHOUT_END),
        ),
        (
            'date_of_expiry = { labels = ["MWISHO WA MATUMIZI"] }',
            'address = { labels = ["ANUANI"], side = "back" }',
            SupportedDocument(*KEY, (Source.VISUAL,), back=False, expiry=Expiry.BEARS_NONE),
        ),
    ],
)
def test_what_a_file_says_of_its_kind(tmp_path: Path, was: str, becomes: str, row: SupportedDocument) -> None:
    (tmp_path / "tz.toml").write_text(TANZANIA.replace(was, becomes) if was else TANZANIA, "utf-8")
    with configured(VisionConfiguration(layouts=tmp_path)):
        assert supported_by(operators_own().values()) == [row]


def test_a_wrong_file_and_a_wrong_folder_are_refused_in_a_sentence(tmp_path: Path) -> None:
    for folder, says in ((tmp_path / "nowhere", "There is no such folder"), (tmp_path, "There is no file XX.toml")):
        with configured(VisionConfiguration(layouts=folder)), pytest.raises(WrongLayout, match=says):
            use_own_layouts()
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    (wrong / "tz.toml").write_text(TANZANIA.replace('"TZ"', '"XQ"'), "utf-8")
    with configured(VisionConfiguration(layouts=wrong)), pytest.raises(WrongLayout, match="XQ is no country"):
        use_own_layouts()
    use_own_layouts()


def test_a_whole_name_is_drawn_whole_in_latin_letters_too() -> None:
    field = FieldLayout(labels=("नाम",), order=NameOrder.GIVEN_FIRST, script=Script.DEVANAGARI, latin_below=True)
    native, random = people_of(Script.DEVANAGARI, "hi")[1], np.random.default_rng(1)
    person = Person(native.latin_surnames, native.latin_given_names, "M", date(1979, 11, 23), "NOVIGRAD")
    values = PrintedValues("IN", countries()["IN"].documents[0], person, Issue(), random, native)
    assert values.row(LayoutField.FULL_NAME, field).lines == (("नाम", "राम कुमार शर्मा"), ("", "RAM KUMAR SHARMA"))
