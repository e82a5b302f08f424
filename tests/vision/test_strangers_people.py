"""Documents of layout files that strangers wrote, a twelfth time: whose they are, by names and words of all kinds."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from tests.support.layout_files import line, tried
from truename.rules.evidence import DocumentType, FieldName, ReadValue, Source
from truename.rules.national_numbers import Agreement, examine_number
from truename.sandbox.drawing.from_layout import draw
from truename.sandbox.drawing.number_making import make_number
from truename.sandbox.drawing.photography import photograph
from truename.sandbox.drawing.subjects import Person
from truename.vision.document import classify
from truename.vision.document.layouts.model import FieldLayout, LayoutField, NameOrder
from truename.vision.document.print.date_forms import date_in_form
from truename.vision.document.print.fields import read_fields
from truename.vision.document.print.names import parted
from truename.vision.document.read import read_document

TODAY = date(2026, 11, 15)

KYRGYZSTAN = """
country = "KG"
languages = ["ru", "en"]
issuers = ["Кыргыз Республикасы", "Kyrgyz Republic"]
[[documents]]
kind = "NATIONAL_ID"
version = "2017"
known_from = "description"
form = "ID-1"
titles = ["Инсандык паспорт", "Identity card"]
script = "Cyrillic"
dates = "DD.MM.YYYY"
[documents.fields]
gender = { labels = ["Жынысы / Пол / Sex"], printed = ["Э/М", "А/Ж"], script = "Cyrillic" }
date_of_birth = { labels = ["Туулган күнү / Дата рождения / Date of birth"] }
"""


@pytest.mark.parametrize(
    ("text", "sex"), [("A/K", "F"), ("А/Ж", "F"), ("Э/М", "M"), ("3/M", "M"), ("F", "F"), ("K", None), ("AK", None)]
)
def test_a_letter_that_the_document_does_not_print_says_nothing_beside_one_that_it_does(
    tmp_path: Path, text: str, sex: str | None
) -> None:
    """An honest woman was a man in print: of `А/Ж` the reader of Latin made `A/K`, and her zone contradicted that."""
    with tried(tmp_path, KYRGYZSTAN, "KG"):
        lines = [line("KbIHbICbl / on/ Sex", 40, 100), line(text, 40, 125)]
        found = read_fields(lines, "KG", DocumentType.NATIONAL_ID, TODAY)
    assert [value.value for value in found.get(FieldName.GENDER, [])] == ([sex] if sex else [])


KENYA = """
country = "KE"
languages = ["en"]
issuers = ["Republic of Kenya"]
[[documents]]
kind = "DRIVER_LICENSE"
version = "smart 2017"
known_from = "description"
form = "ID-1"
titles = ["Driving Licence"]
[documents.fields]
surnames = { labels = ["Surname"] }
given_names = { labels = ["Other Names"] }
document_number = { labels = ["Licence No."], formats = ["@@@-#####"] }
"""


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("name", ["VIRGINIA", "WASHINGTON", "GEORGIA", "JORDAN", "FRANCE", "ISRAEL"])
def test_who_is_called_like_a_state_is_no_state(tmp_path: Path, name: str, beside: bool) -> None:
    """A licence of Kenya was one of the United States, its dates month first, where its holder was called Virginia."""
    lines = [line("REPUBLIC OF KENYA", 40, 14, 30), line("DRIVING LICENCE", 40, 50, 22)]
    for at, (label, value) in enumerate((("Surname", name), ("Other Names", name), ("Date of Birth", "12.08.1985"))):
        y = 112 + 68 * at
        lines += [line(label, 318, y, 18), line(value, 318 + 150 * beside, y if beside else y + 24, 28)]
    lines.append(line("09.03.2031", 318, 590, 28))
    with tried(tmp_path, KENYA, "KE"):
        said = classify.from_print(lines)
    assert (said.country, said.type) == ("KE", DocumentType.DRIVER_LICENSE)


@pytest.mark.parametrize("name", ["VIRGINIA WASHINGTON", "JORDAN GEORGIA", "INDIA FRANCE"])
def test_a_name_without_a_label_below_the_heading_is_no_state(name: str) -> None:
    lines = [line("NEW ZEALAND", 40, 14, 30), line("DRIVER LICENCE", 40, 50, 22), line(name, 318, 112, 28)]
    lines.append(line("09.03.2031", 318, 590, 28))
    assert classify.from_print(lines).country == "NZ"


@pytest.mark.parametrize("state", ["VIRGINIA", "GEORGIA", "WASHINGTON"])
def test_a_state_that_issues_a_licence_is_still_one(state: str) -> None:
    lines = [line(state, 40, 14, 30), line("USA", 400, 14, 30), line("DRIVER LICENSE", 40, 50, 22)]
    assert classify.from_print(lines).country == "US"


@pytest.mark.parametrize(
    ("name", "order", "surnames", "given_names"),
    [
        ("JOSÉ DOS SANTOS JÚNIOR", NameOrder.GIVEN_FIRST, "DOS SANTOS JÚNIOR", "JOSÉ"),
        ("JOHN PAUL SMITH JR.", NameOrder.GIVEN_FIRST, "SMITH JR.", "JOHN PAUL"),
        ("HENRY FORD III", NameOrder.GIVEN_FIRST, "FORD III", "HENRY"),
        ("SMITH JR JOHN", NameOrder.SURNAME_FIRST, "SMITH JR", "JOHN"),
        ("SOUZA FILHO ANTÔNIO CARLOS", NameOrder.SURNAME_FIRST, "SOUZA FILHO", "ANTÔNIO CARLOS"),
        ("PEDRO JUNIOR", NameOrder.GIVEN_FIRST, "JUNIOR", "PEDRO"),
        ("SMITH JUNIOR", NameOrder.SURNAME_FIRST, "SMITH", "JUNIOR"),
    ],
)
def test_a_suffix_belongs_to_the_surname_before_it(
    name: str, order: NameOrder, surnames: str, given_names: str
) -> None:
    """The surname of JOSÉ DOS SANTOS JÚNIOR was JÚNIOR."""
    found = parted([ReadValue(value=name, source=Source.VISUAL, confidence=0.9)], FieldLayout(order=order))
    assert found[LayoutField.SURNAMES][0].value == surnames
    assert found[LayoutField.GIVEN_NAMES][0].value == given_names


@pytest.mark.parametrize("text", ["12 ส.ค. 2528", "12 ส.ค.2528", "12 ส. ค. 2528", "12 สิงหาคม 2528"])
@pytest.mark.parametrize("form", ["DD MON BBBB", "DD MONTH BBBB"])
def test_a_month_shortened_to_two_letters_is_read_in_a_form_of_the_buddhist_era(text: str, form: str) -> None:
    """A card whose file says DD MON BBBB was drawn with such dates, and none of them was read."""
    assert date_in_form(text, form, TODAY) == date(1985, 8, 12)


@pytest.mark.parametrize(
    ("scheme", "format"), [("ro.cnp", "#############"), ("yu.jmbg", "#############"), ("cz.rc", "##########")]
)
@pytest.mark.parametrize("sex", ["M", "F"])
def test_a_number_of_figures_alone_is_made_though_its_format_does_not_say_where_the_birth_stands(
    scheme: str, format: str, sex: str
) -> None:
    """`layouts draw` ended: no number of the format satisfied its rule."""
    person = Person("RIVERA", "ANA", sex, date(1985, 8, 12))
    number = make_number(FieldLayout(formats=(format,), scheme=scheme), person, np.random.default_rng(1))
    found = examine_number(scheme, number, person.born, sex)
    assert found is not None
    assert not found.contradicts
    assert found.birth is Agreement.AGREES


MONGOLIA = """
country = "MN"
languages = ["ru", "en"]
issuers = ["Монгол Улс", "Mongolia"]
[[documents]]
kind = "PASSPORT"
version = "2010"
known_from = "description"
form = "ID-3"
titles = ["Гадаад паспорт"]
script = "Cyrillic"
[documents.fields]
personal_number = { labels = ["Регистрийн дугаар"], formats = ["УБ########"] }
"""


@pytest.mark.parametrize("text", ["УБ25521422", "УБ 25521422"])
def test_a_number_keeps_the_letters_of_its_script_under_its_label(tmp_path: Path, text: str) -> None:
    """Its figures alone stood beside it, and were believed: they have a label."""
    with tried(tmp_path, MONGOLIA, "MN"):
        lines = [line("Регистрийн дугаар", 40, 100), line(text, 40, 125)]
        found = read_fields(lines, "MN", DocumentType.PASSPORT, TODAY)
    assert [value.value for value in found[FieldName.PERSONAL_NUMBER]] == [text]


BOOK = """
country = "PH"
languages = ["en", "tl"]
issuers = ["Republic of the Philippines"]
[[documents]]
kind = "NATIONAL_ID"
version = "seafarer's book"
known_from = "description"
form = "ID-3"
titles = ["Seafarer's Identification and Record Book"]
zone = "TD3"
years = [10]
dates = "DD MON YYYY"
[documents.fields]
document_number = { labels = ["SIRB No."], formats = ["@#######"] }
surnames = { labels = ["Surname"] }
given_names = { labels = ["Given Name"] }
date_of_birth = { labels = ["Date of Birth"] }
date_of_expiry = { labels = ["Valid Until"] }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "kind"), [(BOOK, DocumentType.NATIONAL_ID), (BOOK.replace('"TD3"', '"TD2"'), DocumentType.PASSPORT)]
)
def test_the_title_of_a_book_is_read_where_it_may_be_no_passport(tmp_path: Path, text: str, kind: DocumentType) -> None:
    """Where the print confirmed its zone at once, nothing more was read, and a seafarer's book was a passport."""
    with tried(tmp_path, BOOK, "PH") as layout:
        page = draw("PH", layout, Person("D'ANGELO", "JEAN-BAPTISTE", "M", date(1990, 2, 28)), seed=33).front
    with tried(tmp_path, text, "PH"):
        found = read_document(page, None, TODAY).evidence
    assert (found.country, found.type) == ("PH", kind)


GREECE = """
country = "GR"
languages = ["el", "en"]
issuers = ["Ελληνική Δημοκρατία", "Hellenic Republic"]
[[documents]]
kind = "NATIONAL_ID"
version = "military 2012"
known_from = "description"
form = "ID-1"
titles = ["Δελτίο στρατιωτικής ταυτότητας"]
script = "Greek"
dates = "DD-MM-YYYY"
labels_stand = "LEFT"
marks = ["Δελτίο στρατιωτικής ταυτότητας"]
[documents.fields]
surnames = { labels = ["ΕΠΩΝΥΜΟ"], script = "Greek" }
given_names = { labels = ["ΟΝΟΜΑ"], script = "Greek" }
date_of_birth = { labels = ["ΗΜ. ΓΕΝΝΗΣΗΣ"] }
document_number = { labels = ["ΑΡΙΘ. ΜΗΤΡΩΟΥ"], formats = ["###/#####/##"] }
date_of_issue = { labels = ["ΗΜ. ΕΚΔΟΣΗΣ"] }
"""


@pytest.mark.slow
def test_a_page_in_greek_capitals_is_not_read_in_cyrillic_ones(tmp_path: Path) -> None:
    """Nothing but a date was read: the reader of Cyrillic was surer of ΜΠΟΥΡΑ, though Σ and Ω had been seen."""
    with tried(tmp_path, GREECE, "GR") as layout:
        drawn = draw("GR", layout, seed=2)
        found = read_document(photograph(drawn.front, seed=2, rotation=3, perspective=0.2)[0], None, TODAY).evidence
    assert (found.country, found.type) == ("GR", DocumentType.NATIONAL_ID)
    assert {name: found.value(name) for name in drawn.fields} == drawn.fields


@pytest.mark.parametrize(
    ("name", "order", "surnames", "given_names"),
    [
        ("سلمان بكر بن لادن", NameOrder.GIVEN_FIRST, "بن لادن", "سلمان بكر"),
        ("محمد خالد عبد الله", NameOrder.GIVEN_FIRST, "عبد الله", "محمد خالد"),
        ("تركي فيصل آل سعود", NameOrder.GIVEN_FIRST, "آل سعود", "تركي فيصل"),
        ("محمد عبد الله الخطيب", NameOrder.GIVEN_FIRST, "الخطيب", "محمد عبد الله"),
        ("בן דוד אליעזר", NameOrder.SURNAME_FIRST, "בן דוד", "אליעזר"),
        ("남궁현석", NameOrder.SURNAME_FIRST, "남궁", "현석"),
        ("남궁현", NameOrder.SURNAME_FIRST, "남궁", "현"),
        ("황보라", NameOrder.SURNAME_FIRST, "황", "보라"),
        ("황보민준", NameOrder.SURNAME_FIRST, "황보", "민준"),
        ("남현석", NameOrder.SURNAME_FIRST, "남", "현석"),
    ],
)
def test_particles_and_surnames_of_two_signs_in_other_scripts_part_a_name(
    name: str, order: NameOrder, surnames: str, given_names: str
) -> None:
    """The surname of سلمان بكر بن لادن was لادن, his given names ended with a `son of`; that of 남궁현석 was 남."""
    found = parted([ReadValue(value=name, source=Source.VISUAL, confidence=0.9)], FieldLayout(order=order))
    assert found[LayoutField.SURNAMES][0].value == surnames
    assert found[LayoutField.GIVEN_NAMES][0].value == given_names
