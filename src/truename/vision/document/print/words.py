"""The words that documents print about themselves: issuers, kinds of document, states of the United States.

All are compared after folding (no accents, upper case, letters and digits only).
"""

from functools import cache
from typing import Final

from truename.rules.countries import COUNTRIES
from truename.rules.evidence import DocumentType
from truename.vision.document.print.folding import fold

ISSUERS: Final[dict[str, tuple[str, ...]]] = {
    "AE": ("United Arab Emirates",),
    "AL": ("Republika e Shqipërisë", "Republic of Albania", "Shqipëria"),
    "AM": ("Republic of Armenia",),
    "AR": ("República Argentina", "Argentina"),
    "AT": ("Republik Österreich", "Österreich", "Republic of Austria"),
    "AU": ("Australia", "Commonwealth of Australia"),
    "AZ": ("Azərbaycan Respublikası", "Republic of Azerbaijan", "Azerbaijan"),
    "BA": ("Bosna i Hercegovina", "Bosnia and Herzegovina"),
    "BE": ("Royaume de Belgique", "Koninkrijk België", "Belgique", "België", "Belgium", "Belgien"),
    "BG": ("Republic of Bulgaria", "Bulgaria"),
    "BO": ("Estado Plurinacional de Bolivia", "Bolivia"),
    "BR": ("República Federativa do Brasil", "Brasil", "Federative Republic of Brazil"),
    "BY": ("Republic of Belarus", "Belarus"),
    "CA": ("Canada", "Ontario", "Québec", "British Columbia", "Alberta", "Manitoba", "Saskatchewan", "Nova Scotia",
           "New Brunswick", "Newfoundland and Labrador", "Prince Edward Island"),
    "CH": ("Schweizerische Eidgenossenschaft", "Confédération suisse", "Confederazione Svizzera", "Schweiz", "Suisse",
           "Svizzera", "Swiss Confederation"),
    "CL": ("República de Chile", "Chile"),
    "CN": ("People's Republic of China",),
    "CO": ("República de Colombia", "Colombia"),
    "CR": ("República de Costa Rica", "Costa Rica"),
    "CY": ("Republic of Cyprus", "Kypriaki Dimokratia", "Cyprus"),
    "CZ": ("Česká republika", "Czech Republic"),
    "DE": ("Bundesrepublik Deutschland", "Federal Republic of Germany", "Deutschland"),
    "DK": ("Danmark", "Denmark"),
    "DO": ("República Dominicana",),
    "EC": ("República del Ecuador", "Ecuador"),
    "EE": ("Eesti Vabariik", "Republic of Estonia", "Eesti"),
    "EG": ("Arab Republic of Egypt", "Egypt"),
    "ES": ("Reino de España", "España", "Kingdom of Spain"),
    "FI": ("Suomi", "Finland", "Republic of Finland"),
    "FR": ("République française", "French Republic", "France"),
    "GB": ("United Kingdom of Great Britain and Northern Ireland", "United Kingdom", "British Passport", "DVLA"),
    "GE": ("Republic of Georgia",),
    "GR": ("Hellas", "Hellenic Republic", "Elliniki Dimokratia"),
    "GT": ("República de Guatemala",),
    "HK": ("Hong Kong",),
    "HN": ("República de Honduras",),
    "HR": ("Republika Hrvatska", "Republic of Croatia", "Hrvatska"),
    "HU": ("Magyarország", "Magyar Köztársaság", "Hungary"),
    "ID": ("Republik Indonesia", "Republic of Indonesia"),
    "IE": ("Éire", "Ireland"),
    "IL": ("State of Israel", "Israel"),
    "IN": ("Government of India", "Republic of India", "Union of India", "Unique Identification Authority of India"),
    "IQ": ("Republic of Iraq",),
    "IR": ("Islamic Republic of Iran",),
    "IS": ("Ísland", "Iceland"),
    "IT": ("Repubblica Italiana", "Italian Republic"),
    "JP": ("Japan",),
    "KR": ("Republic of Korea",),
    "KZ": ("Republic of Kazakhstan",),
    "LI": ("Fürstentum Liechtenstein", "Liechtenstein"),
    "LT": ("Lietuvos Respublika", "Republic of Lithuania", "Lietuva"),
    "LU": ("Grand-Duché de Luxembourg", "Luxembourg"),
    "LV": ("Latvijas Republika", "Republic of Latvia", "Latvija", "Latvia", "Lettonie"),
    "MA": ("Royaume du Maroc", "Kingdom of Morocco"),
    "MC": ("Principauté de Monaco",),
    "MD": ("Republica Moldova", "Republic of Moldova"),
    "ME": ("Crna Gora", "Montenegro"),
    "MK": ("North Macedonia", "Republika Makedonija", "Republic of Macedonia"),
    "MT": ("Repubblika ta' Malta", "Republic of Malta"),
    "MX": ("Estados Unidos Mexicanos", "México", "Instituto Nacional Electoral", "Instituto Federal Electoral"),
    "MY": ("Malaysia", "Kad Pengenalan", "MyKad"),
    "NG": ("Federal Republic of Nigeria", "Nigeria"),
    "NL": ("Koninkrijk der Nederlanden", "Kingdom of the Netherlands", "Nederland"),
    "NO": ("Norge", "Noreg", "Norway"),
    "NZ": ("New Zealand", "Aotearoa"),
    "PA": ("República de Panamá",),
    "PE": ("República del Perú",),
    "PH": ("Republika ng Pilipinas", "Republic of the Philippines"),
    "PK": ("Islamic Republic of Pakistan",),
    "PL": ("Rzeczpospolita Polska", "Republic of Poland"),
    "PT": ("República Portuguesa", "Portugal"),
    "PY": ("República del Paraguay",),
    "RO": ("România", "Roumanie"),
    "RS": ("Republika Srbija", "Republic of Serbia", "République de Serbie"),
    "RU": ("Russian Federation", "Rossiyskaya Federatsiya"),
    "SE": ("Sverige", "Konungariket Sverige", "Kingdom of Sweden", "Sweden"),
    "SG": ("Republic of Singapore", "Singapore"),
    "SI": ("Republika Slovenija", "Republic of Slovenia", "Slovenija"),
    "SK": ("Slovenská republika", "Slovak Republic"),
    "SV": ("República de El Salvador",),
    "TH": ("Thailand", "Kingdom of Thailand"),
    "TN": ("République tunisienne",),
    "TR": ("Türkiye Cumhuriyeti", "Republic of Turkey", "Republic of Türkiye"),
    "TW": ("Republic of China",),
    "UA": ("Ukraina", "Ukraine"),
    "US": ("United States of America", "Department of State"),
    "UY": ("República Oriental del Uruguay", "Uruguay"),
    "VE": ("República Bolivariana de Venezuela",),
    "VN": ("Socialist Republic of Viet Nam", "Cong hoa xa hoi chu nghia Viet Nam"),
    "ZA": ("Republic of South Africa", "South Africa"),
}  # fmt: skip

US_STATES: Final = (
    "Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Connecticut", "Delaware",
    "District of Columbia", "Florida", "Georgia", "Hawaii", "Idaho", "Illinois", "Indiana", "Iowa", "Kansas",
    "Kentucky", "Louisiana", "Maine", "Maryland", "Massachusetts", "Michigan", "Minnesota", "Mississippi",
    "Missouri", "Montana", "Nebraska", "Nevada", "New Hampshire", "New Jersey", "New Mexico", "New York",
    "North Carolina", "North Dakota", "Ohio", "Oklahoma", "Oregon", "Pennsylvania", "Rhode Island", "South Carolina",
    "South Dakota", "Tennessee", "Texas", "Utah", "Vermont", "Virginia", "Washington", "West Virginia", "Wisconsin",
    "Wyoming", "Puerto Rico",
)  # fmt: skip

KINDS: Final[dict[DocumentType, tuple[str, ...]]] = {
    DocumentType.PASSPORT: (
        "Passport", "Passeport", "Pasaporte", "Passaporte", "Passaporto", "Reisepass", "Pasaport", "Paszport",
        "Paspoort", "Pașaport", "Pase", "Pass", "Putovnica", "Pasoš", "Útlevél", "Cestovný pas", "Cestovní pas",
        "Pasaportë", "Passi", "Pasas", "Potni list", "Vegabréf", "Diavatirio", "Paszport",
    ),
    DocumentType.NATIONAL_ID: (
        "Identity card", "National identity card", "Identification card", "Personalausweis", "Identitätskarte",
        "Documento nacional de identidad", "Cédula de identidad", "Cédula de ciudadanía", "Carné de identidad",
        "Credencial para votar", "Carte nationale d'identité", "Carte d'identité", "Carta di identità",
        "Carta d'identità", "Dowód osobisty", "Carte de identitate", "Carte electronică de identitate",
        "Identiteitskaart", "Kimlik kartı", "Nüfus cüzdanı", "Cartão de cidadão", "Bilhete de identidade",
        "Carteira de identidade", "Isikutunnistus", "Henkilökortti", "Identitetskort", "Občiansky preukaz",
        "Občanský průkaz", "Letërnjoftim", "Osebna izkaznica", "Osobna iskaznica", "Lična karta", "Personas apliecība",
        "Asmens tapatybės kortelė", "Személyazonosító igazolvány", "Nafnskírteini", "Kad pengenalan", "MyKad",
        "Aadhaar", "Unique Identification Authority of India", "National ID", "Kartu tanda penduduk",
        "Chungminh nhan dan", "Can cuoc cong dan", "DNI",
    ),
    DocumentType.DRIVER_LICENSE: (
        "Driving licence", "Driver licence", "Driver license", "Driver's license", "Driver's licence",
        "Operator license",
        "Permis de conduire", "Permiso de conducción", "Permiso de conducir", "Licencia de conducir",
        "Licencia de conducción", "Licencia nacional de conducir", "Carta de condução",
        "Carteira nacional de habilitação", "Patente di guida", "Führerschein", "Führerausweis", "Sürücü belgesi",
        "Prawo jazdy", "Permis de conducere", "Rijbewijs", "Ajokortti", "Körkort", "Kørekort", "Førerkort",
        "Vadītāja apliecība", "Vairuotojo pažymėjimas", "Juhiluba", "Vodičský preukaz", "Řidičský průkaz",
        "Vozniško dovoljenje", "Vozačka dozvola", "Vezetői engedély", "Commercial driver license", "Lesen memandu",
        "Adeia odigisis",
    ),
    DocumentType.RESIDENT_PERMIT: (
        "Residence permit", "Permanent resident", "Permanent resident card", "Resident card", "Titre de séjour",
        "Permiso de residencia", "Aufenthaltstitel", "Título de residência", "Permesso di soggiorno", "Karta pobytu",
        "Verblijfstitel", "Verblijfsdocument", "İkamet izni", "Permis de ședere", "Uppehållstillstånd",
        "Oleskelulupa", "Elamisluba", "Uzturēšanās atļauja", "Leidimas gyventi", "Povolení k pobytu",
        "Povolenie na pobyt", "Tartózkodási engedély", "Dozvola boravka", "Dovoljenje za prebivanje",
        "Opholdstilladelse", "Oppholdstillatelse", "Cédula de extranjería", "Carné de extranjería", "Residente",
        "Carteira de registro nacional migratório", "Leave to remain", "Adeia diamonis", "Biometric residence permit",
    ),
    DocumentType.TEMP_PERMIT_ID: (
        "Employment authorization", "Employment authorization card", "Permiso por protección temporal",
        "Permiso temporal", "Permiso especial de permanencia", "Temporary permit", "Temporary residence",
        "Temporary protection", "Provisional permit", "Residencia temporal",
    ),
}  # fmt: skip

ONE_COUNTRY_ONLY: Final[dict[str, str]] = {
    "Henkilökortti": "FI", "Ajokortti": "FI", "Isikutunnistus": "EE", "Juhiluba": "EE", "Dowód osobisty": "PL",
    "Prawo jazdy": "PL", "Karta pobytu": "PL", "Kimlik kartı": "TR", "Sürücü belgesi": "TR", "Nüfus cüzdanı": "TR",
    "Cartão de cidadão": "PT", "Carteira nacional de habilitação": "BR", "Carteira de identidade": "BR",
    "Občiansky preukaz": "SK", "Vodičský preukaz": "SK", "Občanský průkaz": "CZ", "Letërnjoftim": "AL",
    "Cédula de ciudadanía": "CO", "Permiso por protección temporal": "CO", "Credencial para votar": "MX",
    "Kad pengenalan": "MY", "MyKad": "MY", "Lesen memandu": "MY", "Aadhaar": "IN",
    "Unique Identification Authority of India": "IN", "Kørekort": "DK", "Personas apliecība": "LV",
    "Asmens tapatybės kortelė": "LT", "Rijbewijs": "NL", "Carte nationale d'identité": "FR", "Patente di guida": "IT",
    "Permanent resident card": "US", "Employment authorization card": "US", "Kartu tanda penduduk": "ID",
}  # fmt: skip


@cache
def issuer_phrases() -> tuple[tuple[str, str], ...]:
    """Folded phrase and country, longest first, so that "republic of China" is not read in a longer name."""
    phrases = {fold(country.name): code for code, country in COUNTRIES.items() if len(country.name) > 4}
    # The English names of these are also names of people, states or everyday words.
    for ambiguous in ("Georgia", "Jordan", "Chad", "Guinea", "Mali", "Oman", "Cuba", "Niger", "Congo"):
        phrases.pop(fold(ambiguous), None)
    phrases |= {fold(phrase): code for code, listed in ISSUERS.items() for phrase in listed}
    phrases |= {fold(phrase): code for phrase, code in ONE_COUNTRY_ONLY.items()}
    return tuple(sorted(phrases.items(), key=lambda item: -len(item[0])))


@cache
def kind_phrases() -> tuple[tuple[str, DocumentType], ...]:
    """Every title of a document, folded, with the kind it names; longer ones first, as they say more."""
    phrases = {fold(phrase): kind for kind, listed in KINDS.items() for phrase in listed}
    return tuple(sorted(phrases.items(), key=lambda item: -len(item[0])))
