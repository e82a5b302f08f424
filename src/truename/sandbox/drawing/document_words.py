"""The words that ten countries print on their documents: names of documents, labels of fields."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """One country's words."""

    alpha2: str
    issuer: str
    plate: str
    name: str
    demonym: str
    passport: str
    id_card: str
    permit: str
    licence: str
    number: str
    surname: str
    given: str
    nationality: str
    birth: str
    sex: str
    birth_place: str
    issue: str
    expiry: str


STYLES = {
    style.alpha2: style
    for style in (
        Style("DE", "D", "D", "BUNDESREPUBLIK DEUTSCHLAND", "DEUTSCH", "REISEPASS", "PERSONALAUSWEIS",
              "AUFENTHALTSTITEL", "FÜHRERSCHEIN", "Nr.", "Name", "Vornamen", "Staatsangehörigkeit", "Geburtsdatum",
              "Geschlecht", "Geburtsort", "Ausstellungsdatum", "Gültig bis"),
        Style("ES", "ESP", "E", "REINO DE ESPAÑA", "ESPAÑOLA", "PASAPORTE", "DOCUMENTO NACIONAL DE IDENTIDAD",
              "PERMISO DE RESIDENCIA", "PERMISO DE CONDUCCIÓN", "Núm. soporte", "Apellidos", "Nombre", "Nacionalidad",
              "Fecha de nacimiento", "Sexo", "Lugar de nacimiento", "Fecha de expedición", "Válido hasta"),
        Style("PT", "PRT", "P", "REPÚBLICA PORTUGUESA", "PORTUGUESA", "PASSAPORTE", "CARTÃO DE CIDADÃO",
              "TÍTULO DE RESIDÊNCIA", "CARTA DE CONDUÇÃO", "N.º documento", "Apelidos", "Nomes", "Nacionalidade",
              "Data de nascimento", "Sexo", "Local de nascimento", "Data de emissão", "Data de validade"),
        Style("FR", "FRA", "F", "RÉPUBLIQUE FRANÇAISE", "FRANÇAISE", "PASSEPORT", "CARTE NATIONALE D'IDENTITÉ",
              "TITRE DE SÉJOUR", "PERMIS DE CONDUIRE", "N° du document", "Nom", "Prénoms", "Nationalité",
              "Date de naissance", "Sexe", "Lieu de naissance", "Date de délivrance", "Date d'expiration"),
        Style("IT", "ITA", "I", "REPUBBLICA ITALIANA", "ITALIANA", "PASSAPORTO", "CARTA DI IDENTITÀ",
              "PERMESSO DI SOGGIORNO", "PATENTE DI GUIDA", "Documento n.", "Cognome", "Nome", "Cittadinanza",
              "Data di nascita", "Sesso", "Luogo di nascita", "Data di rilascio", "Data di scadenza"),
        Style("TR", "TUR", "TR", "TÜRKİYE CUMHURİYETİ", "T.C.", "PASAPORT", "KİMLİK KARTI", "İKAMET İZNİ",
              "SÜRÜCÜ BELGESİ", "Seri No", "Soyadı", "Adı", "Uyruğu", "Doğum Tarihi", "Cinsiyeti", "Doğum Yeri",
              "Düzenlenme Tarihi", "Son Geçerlilik"),
        Style("PL", "POL", "PL", "RZECZPOSPOLITA POLSKA", "POLSKIE", "PASZPORT", "DOWÓD OSOBISTY", "KARTA POBYTU",
              "PRAWO JAZDY", "Numer dokumentu", "Nazwisko", "Imiona", "Obywatelstwo", "Data urodzenia", "Płeć",
              "Miejsce urodzenia", "Data wydania", "Termin ważności"),
        Style("RO", "ROU", "RO", "ROMÂNIA", "ROMÂNĂ", "PAȘAPORT", "CARTE DE IDENTITATE", "PERMIS DE ȘEDERE",
              "PERMIS DE CONDUCERE", "Nr. document", "Nume", "Prenume", "Cetățenie", "Data nașterii", "Sex",
              "Loc naștere", "Data eliberării", "Valabilitate"),
        Style("NL", "NLD", "NL", "KONINKRIJK DER NEDERLANDEN", "NEDERLANDSE", "PASPOORT", "IDENTITEITSKAART",
              "VERBLIJFSTITEL", "RIJBEWIJS", "Documentnummer", "Naam", "Voornamen", "Nationaliteit", "Geboortedatum",
              "Geslacht", "Geboorteplaats", "Datum van afgifte", "Geldig tot"),
        Style("GB", "GBR", "UK", "UNITED KINGDOM", "BRITISH CITIZEN", "PASSPORT", "IDENTITY CARD", "RESIDENCE PERMIT",
              "DRIVING LICENCE", "No.", "Surname", "Given names", "Nationality", "Date of birth", "Sex",
              "Place of birth", "Date of issue", "Date of expiry"),
    )
}  # fmt: skip
