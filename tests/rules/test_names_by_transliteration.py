"""A name in its own script is the same name in Latin letters, as Doc 9303 or the country's own rule writes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from truename.rules.icao_letters import icao_spellings
from truename.rules.national_spellings import national_spellings
from truename.rules.text import EXACT, name_similarity
from truename.sandbox.drawing.native_people import PEOPLE_IN, RUSSIAN, UKRAINIAN
from truename.vision.document.layouts.model import Script

LATIN = "A B V G D E E ZH Z I I K L M N O P R S T U F KH TS CH SH SHCH IE Y _ E IU IA"
DOC_9303 = dict(
    zip(
        "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ",
        LATIN.split(),
        strict=True,
    )
)
"""Doc 9303 part 3, section 6.B, for Russian; `_` is no letter."""
VOWELS = "АЕИОУ"
words = some.lists(some.text(some.sampled_from(list(DOC_9303)), min_size=1, max_size=12), min_size=1, max_size=3).map(
    lambda parts: [VOWELS[len(part) % 5] + part for part in parts]  # a word of signs alone has no letter in Latin
)


def in_latin(word: str) -> str:
    return "".join(DOC_9303[letter] for letter in word).replace("_", "")


@given(words)
def test_every_cyrillic_name_is_its_own_transliteration_by_doc_9303_in_either_direction(parts: list[str]) -> None:
    cyrillic, latin = " ".join(parts), " ".join(map(in_latin, parts))
    assert icao_spellings(cyrillic)[0] == latin
    assert name_similarity(cyrillic, latin) == EXACT
    assert name_similarity(latin, cyrillic.title()) == EXACT
    # The words may stand in another order, as everywhere.
    assert name_similarity(" ".join(reversed(latin.split())), cyrillic) == EXACT


@given(words, words)
def test_two_names_are_the_same_only_if_their_letters_are(one: list[str], other: list[str]) -> None:
    score = name_similarity(" ".join(one), " ".join(map(in_latin, other)))
    assert 0.0 <= score <= 1.0
    assert (score == EXACT) or sorted(map(in_latin, one)) != sorted(map(in_latin, other))


@pytest.mark.parametrize(
    ("own", "latin"),
    [
        ("ΠΑΠΑΔΟΠΟΥΛΟΥ", "PAPADOPOULOU"), ("Ευάγγελος", "EVANGELOS"), ("ΕΥΤΥΧΙΑ", "EFTYCHIA"), ("ΜΠΟΥΡΑΣ", "BOURAS"),
        ("ΑΓΓΕΛΙΚΗ", "ANGELIKI"), ("Παύλος", "PAVLOS"), ("ΚΑΜΠΟΥΡΗ", "KAMPOURI"), ("ΠΡΟΫΣΑΛΗΣ", "PROYSALIS"),
        ("Єлизавета", "YELYZAVETA"), ("Їжакевич", "YIZHAKEVYCH"), ("Юлія", "YULIIA"), ("Згурський", "ZGHURSKYI"),
        ("Знам'янка", "ZNAMIANKA"), ("НҰРҒАЛИЕВ", "NURGALIYEV"), ("ЕРЛАН", "YERLAN"), ("ҚАСЫМ", "KASYM"),
        ("ԾԱՌՈՒԿՅԱՆ", "TSARUKYAN"), ("Գևորգ", "GEVORG"), ("ՈՍԿԱՆՅԱՆ", "VOSKANYAN"), ("Եղիշե", "YEGHISHE"),
        ("ბერიძე", "BERIDZE"), ("शर्मा", "SHARMA"), ("राजेश", "RAJESH"), ("विजय", "VIJAY"), ("김", "KIM"), ("이", "LEE"),
        ("민준", "MIN-JUN"), ("张晓明", "ZHANG XIAOMING"), ("曾", "ZENG"), ("單", "SHAN"), ("尉迟", "YUCHI"),
        ("吕静", "LYU JING"), ("吕静", "LV JING"), ("吕静", "LU JING"), ("乐", "YUE"), ("樂", "LE"),
        ("欧阳静怡", "Ouyang Jing-Yi"), ("NGUYỄN", "NGUYEN"), ("Đặng", "DANG"),
        ("Ђоковић", "DJOKOVIC"), ("Бљана", "BLJANA"),
    ],
)  # fmt: skip
def test_a_name_is_the_one_that_its_passport_writes_in_latin_letters(own: str, latin: str) -> None:
    assert name_similarity(own, latin) >= 0.99
    assert name_similarity(latin, own) >= 0.99


@pytest.mark.parametrize(
    ("own", "another"),
    [
        ("ΠΑΠΑΔΟΠΟΥΛΟΥ", "PAPANDREOU"),
        ("Юлія", "YURII"),
        ("김", "LEE"),
        ("张", "WANG"),
        ("शर्मा", "VERMA"),
        ("СОКОЛОВА", "SOKOLOV"),
    ],
)
def test_another_name_stays_another(own: str, another: str) -> None:
    assert name_similarity(own, another) < 0.95


@pytest.mark.parametrize("script", [Script.GREEK, Script.GEORGIAN, Script.ARMENIAN, Script.VIETNAMESE, Script.HAN])
def test_everyone_who_is_drawn_in_a_script_is_the_same_person_in_latin(script: Script) -> None:
    for person in PEOPLE_IN[script]:
        assert name_similarity(person.surnames, person.latin_surnames) == EXACT, person
        assert name_similarity(person.latin_given_names, person.given_names) == EXACT, person


def test_russian_and_ukrainian_passports_write_their_people_as_the_tables_say() -> None:
    for person in (*RUSSIAN, *UKRAINIAN):
        assert name_similarity(person.surnames, person.latin_surnames) == EXACT, person
        assert name_similarity(person.given_names, person.latin_given_names) == EXACT, person


def test_other_scripts_and_latin_have_no_national_spelling() -> None:
    assert national_spellings("RIVERA") == ()
    assert national_spellings("محمد") == ()
    assert national_spellings("สมชาย") == ()
    assert national_spellings("김민준") == ()


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("王芳", "王芳", EXACT),
        ("王芳", "汪芳", EXACT),  # both are WANG FANG
        ("张晓明", "張曉明", EXACT),
        ("王剛", "王刚", EXACT),
        ("髙橋", "高橋", EXACT),
        ("渡邊", "渡辺", EXACT),
        ("佐々木", "佐佐木", EXACT),
        ("やまだ", "ヤマダ", EXACT),
        ("王芳", "李明", 0.29),
    ],
)
def test_names_in_signs_are_compared_in_latin_letters_as_all_others_are(one: str, other: str, score: float) -> None:
    assert name_similarity(one, other) == name_similarity(other, one) == pytest.approx(score, abs=0.05)
