"""The labels that documents print beside their values, by field, in the languages of identity cards."""

from functools import cache
from typing import Final

from truename.rules.evidence import FieldName
from truename.vision.document.print.folding import fold

LABELS: Final[dict[FieldName, tuple[str, ...]]] = {
    FieldName.SURNAMES: (
        "Surname", "Surnames", "Last name", "Family name", "LN", "Name of holder", "Apellidos", "Apellido",
        "Primer apellido", "Segundo apellido", "1er apellido", "2do apellido", "Apelidos", "Apelido", "Sobrenome",
        "Nom", "Nom de famille", "Nachname", "Familienname", "Name", "Name Surname", "Cognome", "Soyadı", "Nazwisko",
        "Nume", "Nume de familie", "Naam", "Achternaam", "Geslachtsnaam", "Priezvisko", "Příjmení", "Prezime",
        "Priimek", "Mbiemri", "Perekonnanimi", "Uzvārds", "Pavardė", "Sukunimi", "Efternamn", "Etternavn",
        "Efternavn", "Vezetéknév", "Családi név", "Eponymo", "Soyad",
    ),
    FieldName.GIVEN_NAMES: (
        "Given names", "Given name", "First name", "First names", "Forename", "Forenames", "FN", "Other names",
        "Nombre", "Nombres", "Prénom", "Prénoms", "Prénom(s)", "Vorname", "Vornamen", "Nome", "Nomes", "Nome(i)",
        "Nome próprio", "Adı", "Imię", "Imiona", "Imię (imiona)", "Prenume", "Voornaam", "Voornamen", "Meno", "Jméno",
        "Ime", "Emri", "Eesnimi", "Eesnimed", "Vārds", "Vārdi", "Vardas", "Etunimet", "Etunimi", "Förnamn", "Fornavn",
        "Utónév", "Onoma", "Ad", "Middle name",
    ),
    FieldName.GENDER: (
        "Sex", "Gender", "Sexo", "Sexe", "Geschlecht", "Sesso", "Cinsiyeti", "Cinsiyet", "Płeć", "Geslacht",
        "Pohlavie", "Pohlaví", "Spol", "Pol", "Gjinia", "Sugu", "Dzimums", "Lytis", "Sukupuoli", "Kön", "Kjønn",
        "Køn", "Nem",
    ),
    FieldName.DOCUMENT_NUMBER: (
        "Document number", "Document no", "Document", "Doc no", "Card number", "Card no", "ID number", "ID no",
        "Identity card number", "Passport no", "Passport number", "Licence no", "License no", "License number", "DL",
        "DL no", "DLN", "LIC", "LIC#", "Lic no", "ID", "USCIS#", "Número de documento", "Núm. documento", "Documento",
        "Documento n.", "Nº documento", "N.º documento", "No. documento", "Número", "Num", "DNI Núm", "DNI", "IDESP",
        "Núm soporte", "Cédula", "Pasaporte n", "Passaporte n", "Passaporto n", "Passeport n", "N° du document",
        "Numéro", "Numéro du document", "N° du passeport", "Carte n", "Nr.", "Nummer", "Dokumentennummer",
        "Ausweisnummer", "Passnummer", "Pass-Nr", "Passnr", "Seri No", "Belge No", "Pasaport No", "Numer dokumentu",
        "Seria i numer", "Numer dowodu osobistego", "Nr paszportu", "Nr. document", "Seria", "Documentnummer",
        "Paspoortnummer", "Číslo OP", "Číslo dokladu", "Číslo", "Broj", "Broj dokumenta", "Nr. letërnjoftimi",
        "Dokumendi number", "Dokumenta numurs", "Pases Nr", "Dokumento Nr", "Korttinumero", "Kortnummer", "Numero",
        "Número de carné", "RUMV", "NUIP", "No.", "Carta n", "Número de identificación",
    ),
    FieldName.PERSONAL_NUMBER: (
        "Personal number", "Personal no", "Personal code", "Identity number", "National ID number", "T.C. Kimlik No",
        "Kimlik No", "PESEL", "CNP", "Burgerservicenummer", "BSN", "Persoonsnummer", "Rodné číslo", "JMBG",
        "Matični broj", "OIB", "Nr. personal", "Isikukood", "Personas kods", "Asmens kodas", "Henkilötunnus",
        "Personnummer", "Codice fiscale", "NIF", "CPF", "CURP", "RUN", "RUT", "CUIL", "Numéro national", "EMŠO",
        "Personal ID", "Personal number/ID",
    ),
    FieldName.DATE_OF_BIRTH: (
        "Date of birth", "DOB", "Birth date", "Born", "Fecha de nacimiento", "Fecha nacimiento", "Nacimiento",
        "Data de nascimento", "Nascimento", "Date de naissance", "Né(e) le", "Geburtsdatum", "Geburtstag",
        "Data di nascita", "Nato il", "Doğum Tarihi", "Data urodzenia", "Data nașterii", "Geboortedatum",
        "Dátum narodenia", "Datum narození", "Datum rođenja", "Datum rojstva", "Datëlindja", "Sünniaeg",
        "Sünnikuupäev", "Dzimšanas datums", "Gimimo data", "Syntymäaika", "Födelsedatum", "Fødselsdato",
        "Születési idő", "Born on",
    ),
    FieldName.DATE_OF_ISSUE: (
        "Date of issue", "Issue date", "Issued", "Issued on", "ISS", "Fecha de expedición", "Fecha de emisión",
        "Fecha expedición", "Expedición", "Emisión", "Data de emissão", "Date de délivrance", "Délivré le",
        "Date d'émission", "Ausstellungsdatum", "Ausgestellt am", "Data di rilascio", "Data rilascio", "Emissione",
        "Veriliş Tarihi", "Düzenlenme Tarihi", "Data wydania", "Data eliberării", "Datum van afgifte", "Afgiftedatum",
        "Dátum vydania", "Datum vydání", "Datum izdavanja", "Datum izdaje", "Data e lëshimit", "Väljaandmise kuupäev",
        "Izdošanas datums", "Išdavimo data", "Myöntämispäivä", "Utfärdandedatum", "Utstedt", "Resident since",
    ),
    FieldName.DATE_OF_EXPIRY: (
        "Date of expiry", "Expiry date", "Expiration date", "Date of expiration", "Expires", "Expiry", "EXP",
        "Valid until", "Valid thru", "Card expires", "Valid to", "Fecha de vencimiento", "Fecha de caducidad",
        "Fecha vencimiento", "Vencimiento", "Válido hasta", "Validez", "Vigencia", "Data de validade", "Validade",
        "Válido até", "Date d'expiration", "Date d'expiry", "Valable jusqu'au", "Valide jusqu'au", "Expire le",
        "Gültig bis", "Ablaufdatum", "Data di scadenza", "Scadenza", "Data scadenza", "Son Geçerlilik",
        "Son Geçerlilik Tarihi", "Geçerlilik Tarihi", "Termin ważności", "Data ważności", "Valabilitate",
        "Valabil până la", "Data expirării", "Geldig tot", "Geldig tot en met", "Datum van afloop", "Platnosť do",
        "Platnost do", "Datum isteka", "Vrijedi do", "Velja do", "Važi do", "Data e skadimit", "Vlefshme deri",
        "Kehtiv kuni", "Derīga līdz", "Derīguma termiņš", "Galioja iki", "Voimassa", "Viimeinen voimassaolopäivä",
        "Giltig till", "Gyldig til", "Érvényes",
    ),
    FieldName.NATIONALITY: (
        "Nationality", "Citizenship", "Nacionalidad", "Nacionalidade", "Nationalité", "Staatsangehörigkeit",
        "Cittadinanza", "Uyruğu", "Obywatelstwo", "Cetățenie", "Cetățenia", "Nationaliteit", "Štátne občianstvo",
        "Státní občanství", "Državljanstvo", "Shtetësia", "Kodakondsus", "Pilsonība", "Pilietybė", "Kansalaisuus",
        "Medborgarskap", "Nasjonalitet", "Nationalitet", "Állampolgárság",
    ),
    FieldName.PLACE_OF_BIRTH: (
        "Place of birth", "Birth place", "Country of birth", "Lugar de nacimiento", "Local de nascimento",
        "Naturalidade", "Lieu de naissance", "Geburtsort", "Luogo di nascita", "Luogo e data di nascita",
        "Doğum Yeri", "Miejsce urodzenia", "Loc naștere", "Locul nașterii", "Geboorteplaats", "Miesto narodenia",
        "Místo narození", "Mjesto rođenja", "Kraj rojstva", "Vendlindja", "Sünnikoht", "Dzimšanas vieta",
        "Gimimo vieta", "Födelseort", "Fødested",
    ),
    FieldName.ADDRESS: (
        "Address", "Residence", "Domicilio", "Dirección", "Endereço", "Morada", "Adresse", "Anschrift", "Wohnort",
        "Residenza", "Indirizzo", "Adres", "Adres zameldowania", "Domiciliu", "Woonplaats", "Trvalý pobyt", "Elukoht",
    ),
    FieldName.ISSUING_AUTHORITY: (
        "Authority", "Issuing authority", "Issued by", "Autoridad", "Autoridad emisora", "Autoridade", "Autorité",
        "Behörde", "Autorità", "Veren Makam", "Organ wydający", "Emisă de", "Autoriteit", "Instantie", "Vydal",
        "Vydané", "Autoritet", "Iestāde", "Viranomainen", "Myndighet", "Nadležno tijelo",
    ),
}  # fmt: skip

SECOND_PART: Final = frozenset({fold("Segundo apellido"), fold("2do apellido"), fold("Middle name")})
"""Labels whose value is added after that of the first label of the same field."""

EUROPEAN_NUMBERS: Final = {
    "1": FieldName.SURNAMES, "2": FieldName.GIVEN_NAMES, "3": FieldName.DATE_OF_BIRTH, "4A": FieldName.DATE_OF_ISSUE,
    "4B": FieldName.DATE_OF_EXPIRY, "4C": FieldName.ISSUING_AUTHORITY, "4D": FieldName.PERSONAL_NUMBER,
    "5": FieldName.DOCUMENT_NUMBER, "8": FieldName.ADDRESS,
}  # fmt: skip
AMERICAN_NUMBERS: Final = {
    "1": FieldName.SURNAMES, "2": FieldName.GIVEN_NAMES, "3": FieldName.DATE_OF_BIRTH, "4A": FieldName.DATE_OF_ISSUE,
    "4B": FieldName.DATE_OF_EXPIRY, "4D": FieldName.DOCUMENT_NUMBER, "8": FieldName.ADDRESS, "15": FieldName.GENDER,
}  # fmt: skip
"""Both follow ISO/IEC 18013-1; the number of the licence is 5 in Europe and 4d in America."""

DEMONYMS: Final = {
    "DEUTSCH": "DE", "ESPANOLA": "ES", "ESPANOL": "ES", "PORTUGUESA": "PT", "PORTUGUES": "PT", "FRANCAISE": "FR",
    "FRANCAIS": "FR", "ITALIANA": "IT", "ITALIANO": "IT", "TC": "TR", "TURK": "TR", "POLSKIE": "PL", "POLSKA": "PL",
    "ROMANA": "RO", "NEDERLANDSE": "NL", "BRITISHCITIZEN": "GB", "BRITISH": "GB", "VENEZOLANA": "VE",
    "COLOMBIANA": "CO", "COLOMBIANO": "CO", "ARGENTINA": "AR", "ARGENTINO": "AR", "MEXICANA": "MX", "PERUANA": "PE",
    "CHILENA": "CL", "BRASILEIRA": "BR", "BRASILEIRO": "BR", "OSTERREICH": "AT", "BELGE": "BE", "BELG": "BE",
    "HELLENIC": "GR", "SRPSKO": "RS", "HRVATSKO": "HR", "SHQIPTARE": "AL", "ALBANIAN": "AL", "LATVIJAS": "LV",
    "SLOVENSKA": "SK", "CESKA": "CZ", "ECUATORIANA": "EC", "BOLIVIANA": "BO", "PARAGUAYA": "PY", "URUGUAYA": "UY",
    "UNITEDSTATESOFAMERICA": "US", "CANADIAN": "CA", "INDIAN": "IN", "IRISH": "IE", "SUOMI": "FI", "SVENSK": "SE",
}  # fmt: skip


@cache
def label_fields() -> dict[str, FieldName]:
    """Folded label → field."""
    return {fold(label): name for name, listed in LABELS.items() for label in listed}
