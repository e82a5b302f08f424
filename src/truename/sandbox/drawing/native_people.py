"""Invented people whose names are written in another script, and in Latin letters as their passports have them."""

from dataclasses import dataclass
from typing import Final

from truename.vision.document.layouts.model import Script


@dataclass(frozen=True)
class NativePerson:
    """A name in its own script and in Latin letters; the two are the same person's."""

    sex: str
    surnames: str
    given_names: str
    latin_surnames: str
    latin_given_names: str
    place_of_birth: str


def _people(place: str, *rows: tuple[str, str, str, str, str]) -> tuple[NativePerson, ...]:
    return tuple(NativePerson(*row, place_of_birth=place) for row in rows)


RUSSIAN: Final = _people(
    "ГОР. НОВГОРОД",
    ("F", "СОКОЛОВА", "ЕКАТЕРИНА ЮРЬЕВНА", "SOKOLOVA", "EKATERINA IUREVNA"),
    ("M", "ЖУРАВЛЁВ", "АРТЁМ СЕРГЕЕВИЧ", "ZHURAVLEV", "ARTEM SERGEEVICH"),
    ("F", "ЩЕРБАКОВА", "ЭЛЬВИРА ИЛЬИНИЧНА", "SHCHERBAKOVA", "ELVIRA ILINICHNA"),
    ("M", "ЦВЕТКОВ", "ФЁДОР МИХАЙЛОВИЧ", "TSVETKOV", "FEDOR MIKHAILOVICH"),
    ("F", "ХОХЛОВА", "ЮЛИЯ ПАВЛОВНА", "KHOKHLOVA", "IULIIA PAVLOVNA"),
    ("M", "ПЫЖОВ", "ТИМУР ЯКОВЛЕВИЧ", "PYZHOV", "TIMUR IAKOVLEVICH"),
)
UKRAINIAN: Final = _people(
    "КИЇВ",
    ("F", "Ткаченко", "Єлизавета", "Tkachenko", "Yelyzaveta"),
    ("M", "Їжакевич", "Григорій", "Yizhakevych", "Hryhorii"),
    ("F", "Шевчук", "Юлія", "Shevchuk", "Yuliia"),
    ("M", "Бойко", "Олексій", "Boiko", "Oleksii"),
    ("F", "Ковальчук", "Наталія", "Kovalchuk", "Nataliia"),
    ("M", "Щербина", "Сергій", "Shcherbyna", "Serhii"),
)
KAZAKH: Final = _people(
    "АЛМАТЫ",
    ("F", "ӘБДІРАХМАНОВА", "АЙГҮЛ", "ABDIRAKHMANOVA", "AIGUL"),
    ("M", "НҰРҒАЛИЕВ", "ЕРЛАН", "NURGALIYEV", "YERLAN"),
    ("F", "ҚАСЫМОВА", "ДИНАРА", "KASSYMOVA", "DINARA"),
    ("M", "СЕРІКОВ", "АРМАН", "SERIKOV", "ARMAN"),
    ("F", "ОМАРОВА", "ГҮЛНАР", "OMAROVA", "GULNAR"),
    ("M", "ЖҰМАБАЕВ", "ТІЛЕК", "ZHUMABAYEV", "TILEK"),
)
PEOPLE_IN: Final = {
    Script.GREEK: _people(
        "ΑΘΗΝΑ",
        ("F", "ΠΑΠΑΔΟΠΟΥΛΟΥ", "ΕΥΑΓΓΕΛΙΑ", "PAPADOPOULOU", "EVANGELIA"),
        ("M", "ΧΡΙΣΤΟΔΟΥΛΟΥ", "ΓΕΩΡΓΙΟΣ", "CHRISTODOULOU", "GEORGIOS"),
        ("F", "ΜΠΟΥΡΑ", "ΑΓΓΕΛΙΚΗ", "BOURA", "ANGELIKI"),
        ("M", "ΨΑΡΡΟΣ", "ΠΑΥΛΟΣ", "PSARROS", "PAVLOS"),
        ("F", "ΞΕΝΑΚΗ", "ΕΥΤΥΧΙΑ", "XENAKI", "EFTYCHIA"),
        ("M", "ΔΗΜΗΤΡΙΟΥ", "ΘΕΟΦΙΛΟΣ", "DIMITRIOU", "THEOFILOS"),
    ),
    Script.ARABIC: _people(
        "عمان",
        ("F", "العبادي", "فاطمة أحمد حسن", "ALABADI", "FATIMA AHMAD HASSAN"),
        ("M", "الخطيب", "محمد خالد يوسف", "ALKHATIB", "MOHAMMAD KHALED YOUSEF"),
        ("F", "النجار", "مريم سالم علي", "ALNAJJAR", "MARIAM SALEM ALI"),
        ("M", "الحداد", "عمر محمود إبراهيم", "ALHADDAD", "OMAR MAHMOUD IBRAHIM"),
        ("F", "قاسم", "ليلى حسين صالح", "QASEM", "LAYLA HUSSEIN SALEH"),
        ("M", "منصور", "طارق عادل فؤاد", "MANSOUR", "TAREQ ADEL FOUAD"),
    ),
    Script.HEBREW: _people(
        "ירושלים",
        ("F", "לוי", "נועה", "LEVI", "NOA"),
        ("M", "כהן", "יעקב", "COHEN", "YAAKOV"),
        ("F", "מזרחי", "שירה", "MIZRAHI", "SHIRA"),
        ("M", "פרידמן", "דוד", "FRIDMAN", "DAVID"),
        ("F", "אברהם", "מיכל", "AVRAHAM", "MICHAL"),
        ("M", "גולדשטיין", "אורי", "GOLDSTEIN", "URI"),
    ),
    Script.DEVANAGARI: _people(
        "दिल्ली",
        ("F", "श्रीवास्तव", "प्रिया", "SRIVASTAVA", "PRIYA"),
        ("M", "शर्मा", "राम कुमार", "SHARMA", "RAM KUMAR"),
        ("F", "गुप्ता", "सुनीता", "GUPTA", "SUNITA"),
        ("M", "वर्मा", "विजय", "VERMA", "VIJAY"),
        ("F", "मिश्रा", "कविता", "MISHRA", "KAVITA"),
        ("M", "यादव", "राजेश", "YADAV", "RAJESH"),
    ),
    Script.THAI: _people(
        "กรุงเทพ",
        ("F", "ศรีสุวรรณ", "ปราณี", "SRISUWAN", "PRANEE"),
        ("M", "ใจดี", "สมชาย", "JAIDEE", "SOMCHAI"),
        ("F", "วงศ์ไทย", "มาลี", "WONGTHAI", "MALEE"),
        ("M", "ทองคำ", "กิตติพงษ์", "THONGKHAM", "KITTIPONG"),
        ("F", "แสงจันทร์", "สุดา", "SAENGCHAN", "SUDA"),
        ("M", "บุญมี", "ประเสริฐ", "BUNMEE", "PRASERT"),
    ),
    Script.HANGUL: _people(
        "서울",
        ("F", "박", "서연", "PARK", "SEOYEON"),
        ("M", "김", "민준", "KIM", "MINJUN"),
        ("F", "이", "지은", "LEE", "JIEUN"),
        ("M", "홍", "길동", "HONG", "GILDONG"),
        ("F", "최", "수진", "CHOI", "SUJIN"),
        ("M", "정", "우성", "JUNG", "WOOSUNG"),
    ),
    Script.HAN: _people(
        "北京市海淀区",
        ("F", "王", "秀英", "WANG", "XIUYING"),
        ("M", "张", "晓明", "ZHANG", "XIAOMING"),
        ("F", "欧阳", "静怡", "OUYANG", "JINGYI"),
        ("M", "刘", "洋", "LIU", "YANG"),
        ("F", "陳", "筱玲", "CHEN", "XIAOLING"),
        ("M", "趙", "國強", "ZHAO", "GUOQIANG"),
    ),
    Script.GEORGIAN: _people(
        "თბილისი",
        ("F", "ბერიძე", "ქეთევან", "BERIDZE", "KETEVAN"),
        ("M", "ჭავჭავაძე", "გიორგი", "CHAVCHAVADZE", "GIORGI"),
        ("F", "წერეთელი", "მარიამ", "TSERETELI", "MARIAM"),
        ("M", "ღვინიაშვილი", "ლევან", "GHVINIASHVILI", "LEVAN"),
        ("F", "ჟვანია", "ნინო", "ZHVANIA", "NINO"),
        ("M", "ხაჩიძე", "ზურაბ", "KHACHIDZE", "ZURAB"),
    ),
    Script.ARMENIAN: _people(
        "ԵՐԵՎԱՆ",
        ("F", "ՊԵՏՐՈՍՅԱՆ", "ԱՆԱՀԻՏ", "PETROSYAN", "ANAHIT"),
        ("M", "ՂԱԶԱՐՅԱՆ", "ԱՐԹՈՒՐ", "GHAZARYAN", "ARTUR"),
        ("F", "ՀՈՎՀԱՆՆԻՍՅԱՆ", "ՄԱՐԻԱՄ", "HOVHANNISYAN", "MARIAM"),
        ("M", "ԾԱՌՈՒԿՅԱՆ", "ԳԵՎՈՐԳ", "TSARUKYAN", "GEVORG"),
        ("F", "ՈՍԿԱՆՅԱՆ", "ՇՈՒՇԱՆ", "VOSKANYAN", "SHUSHAN"),
        ("M", "ՔՈՉԱՐՅԱՆ", "ԵՂԻՇԵ", "KOCHARYAN", "YEGHISHE"),
    ),
    Script.VIETNAMESE: _people(
        "HÀ NỘI",
        ("F", "NGUYỄN", "THỊ HƯƠNG", "NGUYEN", "THI HUONG"),
        ("M", "TRẦN", "QUỐC TUẤN", "TRAN", "QUOC TUAN"),
        ("F", "ĐẶNG", "THỊ MỸ LỆ", "DANG", "THI MY LE"),
        ("M", "PHẠM", "VĂN ĐỨC", "PHAM", "VAN DUC"),
        ("F", "VŨ", "NGỌC ÁNH", "VU", "NGOC ANH"),
        ("M", "HOÀNG", "MINH KHÔI", "HOANG", "MINH KHOI"),
    ),
}  # fmt: skip
CYRILLIC: Final = {"uk": UKRAINIAN, "kk": KAZAKH}
"""By the first language of the country; Russian for all others."""


def people_of(script: Script, language: str) -> tuple[NativePerson, ...]:
    """Who may be drawn on a document in this script; nobody for Latin."""
    if script is Script.LATIN:
        return ()
    return PEOPLE_IN.get(script) or CYRILLIC.get(language, RUSSIAN)
