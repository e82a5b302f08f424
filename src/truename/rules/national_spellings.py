"""How countries write names of their own script in Latin letters on passports, where ICAO Doc 9303 has no table for it.

Greek by ELOT 743 (ISO 843), Ukrainian by the resolution of 2010, Armenian, Kazakh and Hindi as their passports have
them, the usual spellings of Korean surnames, and pinyin of Chinese signs that are read otherwise in a surname. Everyday
transliteration, which `text.py` tries first, knows letters one by one; these rules look at their neighbours.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from anyascii import anyascii

Rules = tuple[tuple[re.Pattern[str], str], ...]


def _rules(*pairs: tuple[str, str]) -> Rules:
    return tuple((re.compile(pattern), latin) for pattern, latin in pairs)


def _letters(listed: str) -> dict[int, str]:
    """`А=A Б=B` as a table; a letter without an equivalent falls away."""
    return str.maketrans({pair[0]: pair[2:] for pair in listed.split()})


def _write(text: str, rules: Rules, letters: dict[int, str]) -> str:
    for pattern, latin in rules:
        text = pattern.sub(latin, text)
    return text.translate(letters)


# ── Greek ──────────────────────────────────────────────────────────────────────────────────────────────────

_GREEK: Final = _letters(
    "Α=A Β=V Γ=G Δ=D Ε=E Ζ=Z Η=I Θ=TH Ι=I Κ=K Λ=L Μ=M Ν=N Ξ=X Ο=O Π=P Ρ=R Σ=S Τ=T Υ=Y Φ=F Χ=CH Ψ=PS Ω=O"
)
_GREEK_PAIRS: Final = _rules(
    ("ΟΥ", "OU"), (r"([ΑΕΗ])Υ(?=[ΑΕΗΙΟΥΩΒΓΔΖΛΜΝΡ])", r"\1V"), (r"([ΑΕΗ])Υ", r"\1F"), (r"\bΜΠ|ΜΠ\b", "B"), ("ΓΓ", "NG"),
    ("ΓΞ", "NX"), ("ΓΧ", "NCH"),
)  # fmt: skip


def _greek(text: str) -> tuple[str, ...]:
    # The accent goes; the two dots stay until the pairs are found, because they part them.
    plain = unicodedata.normalize("NFD", text.upper()).replace("\u0301", "")
    return (_write(plain, _GREEK_PAIRS, _GREEK),)


# ── Ukrainian and Kazakh ───────────────────────────────────────────────────────────────────────────────────

_UKRAINIAN: Final = _letters(
    "А=A Б=B В=V Г=H Ґ=G Д=D Е=E Є=IE Ж=ZH З=Z И=Y І=I Ї=I Й=I К=K Л=L М=M Н=N О=O П=P Р=R С=S Т=T У=U Ф=F Х=KH Ц=TS "
    "Ч=CH Ш=SH Щ=SHCH Ь= Ю=IU Я=IA '= ’= ʼ="
)
_UKRAINIAN_FIRST: Final = _rules(
    ("ЗГ", "ZGH"), (r"\bЄ", "YE"), (r"\bЇ", "YI"), (r"\bЙ", "Y"), (r"\bЮ", "YU"), (r"\bЯ", "YA")
)  # fmt: skip
_KAZAKH: Final = _letters(
    "А=A Ә=A Б=B В=V Г=G Ғ=G Д=D Е=E Ё=YO Ж=ZH З=Z И=I Й=Y К=K Қ=K Л=L М=M Н=N Ң=N О=O Ө=O П=P Р=R С=S Т=T У=U Ұ=U "
    "Ү=U Ф=F Х=KH Һ=H Ц=TS Ч=CH Ш=SH Щ=SHCH Ъ= Ы=Y І=I Ь= Э=E Ю=YU Я=YA"
)
_KAZAKH_FIRST: Final = _rules((r"\bЕ", "YE"), (r"(?<=[АӘЕИОӨУҰҮЫІЭЮЯ])Е", "YE"))


def _cyrillic(text: str) -> tuple[str, ...]:
    upper = text.upper()
    return (
        _write(upper, _UKRAINIAN_FIRST, _UKRAINIAN),
        _write(upper, _KAZAKH_FIRST, _KAZAKH),
        upper.translate(_KAZAKH),
    )


# ── Armenian ───────────────────────────────────────────────────────────────────────────────────────────────

_ARMENIAN: Final = _letters(
    "Ա=A Բ=B Գ=G Դ=D Ե=E Զ=Z Է=E Ը=Y Թ=T Ժ=ZH Ի=I Լ=L Խ=KH Ծ=TS Կ=K Հ=H Ձ=DZ Ղ=GH Ճ=CH Մ=M Յ=Y Ն=N Շ=SH Ո=O Չ=CH "
    "Պ=P Ջ=J Ռ=R Ս=S Վ=V Տ=T Ր=R Ց=TS Ւ=V Փ=P Ք=K Օ=O Ֆ=F"
)
_ARMENIAN_FIRST: Final = _rules((r"ՈՒ", "U"), (r"\bԵՒ|\bԵՎ", "YEV"), (r"\bԵ", "YE"), (r"\bՈ", "VO"))


def _armenian(text: str) -> tuple[str, ...]:
    return (_write(text.replace("և", "եվ").upper(), _ARMENIAN_FIRST, _ARMENIAN),)


# ── Hindi ──────────────────────────────────────────────────────────────────────────────────────────────────

_CONSONANTS: Final = (
    "क=K ख=KH ग=G घ=GH ङ=N च=CH छ=CHH ज=J झ=JH ञ=N ट=T ठ=TH ड=D ढ=DH ण=N त=T थ=TH द=D ध=DH न=N प=P फ=PH ब=B भ=BH म=M "
    "य=Y र=R ल=L व=V श=SH ष=SH स=S ह=H"
)
_HINDI: Final = _letters(
    f"{_CONSONANTS} अ=A आ=A इ=I ई=I उ=U ऊ=U ऋ=RI ए=E ऐ=AI ओ=O औ=AU ा=A ि=I ी=I ु=U ू=U ृ=RI े=E ै=AI ो=O ौ=AU ं=N ँ=N ः=H ़= ्="
)
_SHORT_A: Final = re.compile(r"([क-ह]़?)(?![ा-़्])(?=\S)")
"""A consonant that neither a vowel sign nor the sign of no vowel follows has a short A, but at the end of a word."""
_SHORT_A_ALWAYS: Final = re.compile(r"([क-ह]़?)(?![ा-़्])")


def _hindi(text: str) -> tuple[str, ...]:
    return tuple(vowel.sub(r"\1A", text).translate(_HINDI) for vowel in (_SHORT_A, _SHORT_A_ALWAYS))


# ── Korean ─────────────────────────────────────────────────────────────────────────────────────────────────

_SURNAMES: Final = (
    "김=KIM 이=LEE,YI,RHEE 박=PARK,PAK 최=CHOI 정=JUNG,CHUNG,JEONG 강=KANG 조=CHO,JO 윤=YOON,YUN "
    "장=JANG,CHANG 임=LIM,IM 한=HAN 오=OH 서=SEO,SUH 신=SHIN 권=KWON 황=HWANG 안=AHN,AN 송=SONG "
    "류=RYU,YOO 유=YOO,YU 전=JEON,JUN 홍=HONG 고=KO,GO 문=MOON 양=YANG 손=SON,SOHN 배=BAE "
    "백=BAEK,PAIK 허=HEO,HUH 노=NOH,ROH 남=NAM 심=SHIM 곽=KWAK 성=SUNG 차=CHA 주=JOO 우=WOO 구=KOO "
    "민=MIN 진=JIN 엄=EOM,UM 천=CHEON 방=BANG 공=KONG 현=HYUN 변=BYUN"
)
_KOREAN_SURNAMES: Final = {pair[0]: tuple(pair[2:].split(",")) for pair in _SURNAMES.split()}
"""A surname of one syllable, as its bearers write it; the official rule is seldom kept for them."""


def _korean(text: str) -> tuple[str, ...]:
    return _KOREAN_SURNAMES.get(text.strip(), ())


# ── Chinese ────────────────────────────────────────────────────────────────────────────────────────────────

_READ_OTHERWISE: Final = (
    "曾=ZENG 单=SHAN 單=SHAN 查=ZHA 解=XIE 仇=QIU 区=OU 區=OU 朴=PIAO 乐=YUE,LE 樂=YUE,LE 翟=ZHAI 覃=QIN,TAN "
    "缪=MIAO 繆=MIAO 薄=BO 种=CHONG 召=SHAO 都=DU 折=SHE 句=GOU 繁=PO 祭=ZHAI 洗=XIAN 员=YUN 員=YUN 黑=HE "
    "盖=GE 蓋=GE 郇=XUN 隗=KUI 尉迟=YUCHI 尉遲=YUCHI 万俟=MOQI 单于=CHANYU 單于=CHANYU 澹台=TANTAI "
    "澹臺=TANTAI "
)
_CHINESE_SURNAMES: Final = {
    sign: tuple(said.split(",")) for sign, _, said in (one.partition("=") for one in _READ_OTHERWISE.split())
}
"""Signs that are read otherwise where they are a surname."""
_MARKED_U: Final = {ord(sign): "L" for sign in "吕呂律绿綠旅侣侶履闾閭"} | {ord("女"): "N"}
"""Signs that are read with an Ü, and the letter before it."""


def _chinese(text: str) -> tuple[str, ...]:
    """Passports of China write the Ü as YU since 2012, banks and tickets as V; everyday transliteration as U."""
    length = next((length for length in (2, 1) if text[:length] in _CHINESE_SURNAMES), 0)
    begins = _CHINESE_SURNAMES.get(text[:length], ("",))
    rest = text[length:]
    ends = [rest.translate({sign: f"{letter}{u}" for sign, letter in _MARKED_U.items()}) for u in ("YU", "V", "U")]
    return tuple(dict.fromkeys(anyascii(f"{begin}{end}") for begin in begins for end in ends))


_SCRIPTS: Final[tuple[tuple[re.Pattern[str], Callable[[str], tuple[str, ...]]], ...]] = (
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), _greek),
    (re.compile("[\u0400-\u04ff]"), _cyrillic),
    (re.compile("[\u0530-\u058f]"), _armenian),
    (re.compile("[\u0900-\u097f]"), _hindi),
    (re.compile("[\uac00-\ud7a3]"), _korean),
    (re.compile("[\u4e00-\u9fff]"), _chinese),
)


def national_spellings(text: str) -> tuple[str, ...]:
    """The text as passports of the countries that use its script would write it; nothing for other scripts."""
    return tuple(spelling for script, write in _SCRIPTS if script.search(text) for spelling in write(text))
