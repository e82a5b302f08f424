"""How many names with rarer marks are read to the letter, before and after their marks are read once more?

    python -m benchmarks.marked_names [--fonts FOLDER] [--seed 1] [--foreign] [--json FILE]

Names of fifteen languages are drawn in typefaces that the reader of marks never learnt from (Debian packages, see
`training/letters/README.md`; without them nothing can be measured), photographed by a simple camera that is not the one
of the training, found by the finder of lines and read. `--foreign`: as on a document of a country that speaks another
language. A line counts only if every letter with its marks is right; spaces do not count.
"""

import argparse
import json
import random
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from training.letters.atlas import is_held_out, lacks, typefaces

from truename.vision.document.layouts.model import Script
from truename.vision.document.print.hard_lines import with_margin
from truename.vision.document.print.own_letters import spelt
from truename.vision.document.print.read import crop_line, detect_lines, recognise
from truename.vision.document.print.scripts import read_in
from truename.vision.document.print.spelling import marks_again

NAMES = {
    "en": "MARCHETTI LUISA|HOLM ANDERS ERIK|DA SILVA REIS TIAGO|OKONKWO GRACE|PETTERSEN INGRID|WILLIAMS BILLIE",
    "cs": "NĚMCOVÁ ŘEHOŘ|ŮLEHLA DĚVEČKA|ŠŤASTNÝ ŽOFIE|ŤOUPAL LUDĚK|ŠIMŮNEK ZDEŇKA|KŮRKA BOŽENA",
    "sk": "ĽUPTÁK ĎURICA|VRÁBĽOVÁ ŽELMÍRA|KOLÁŘ MÁŤUŠ|STĹPKA ĽUBOMÍR|HÔRKA ZUZANA|MÄSIAR ŤAŽKÝ",
    "pl": "WIŚNIEWSKA MAŁGORZATA|ŁĘCKI STANISŁAW|ŻÓŁKIEWSKI JÓZEF|GŁĄB ŚWIĘTOSŁAWA|DĄBROWSKI MACIEJ|PAŹDZIERNIK ĆWIEK",
    "hu": "SZŐKE GYÖNGYI|KŐSZEGI LŐRINC|FŰZFA ÁRPÁD|TÓTH BÉLÁNÉ|BŐSZE ERNŐ|GYŰRŰS ÖDÖN",
    "ro": "ȘTEFĂNESCU IOANA|ȚURCANU RĂZVAN|BĂLĂȘOIU ÎNCEȚOȘATU|CÂRSTEA ANDREEA|MUNTEANU ȘERBAN|POPA ȚÎRU",
    "tr": "YILDIRIM GÜLŞAH|ÖZDOĞAN ÇAĞLA|ŞENTÜRK İBRAHİM|KILIÇOĞLU SEÇİL|AĞAOĞLU NİLÜFER|GÜNGÖR IŞIL",
    "az": "ƏLİYEV RÜSTƏM|MƏMMƏDOVA GÜNAY|HÜSEYNLİ ÇİNGİZ|QULİYEVA AYŞƏ|ŞƏRİFOV NİCAT|HƏSƏNOĞLU ƏKBƏR",
    "lt": "ŽEMAITIENĖ AUŠRA|GRYBAUSKAITĖ EGLĖ|ŪSAS ŲJUS|ČEPLINSKAS ŠARŪNAS|KAZLAUSKIENĖ BIRUTĖ|BUČYS ĮSRŪTIS",
    "lv": "BĒRZIŅŠ JĀNIS|KALNIŅA ILZE|ĶIRSIS GUNĀRS|ĻAUDONA MĀRĪTE|ŠĢĒLE ŪDRIS|OZOLIŅA ĒRIKA",
    "is": "ÞÓRÐARSON ÆGIR|GUÐMUNDSDÓTTIR BJÖRK|HALLDÓRSSON ÓÐINN|SIGURÐARDÓTTIR ÁSTA|ÖRVAR ÝMIR|JÓNSDÓTTIR ÞÓRA",
    "fr": "LEFÈVRE ÉLODIE|BEAUÇAIRE JOËL|HÉLÈNE MAÎTRE|NOËL GENEVIÈVE|FRANÇOIS AÏCHA|CHÂTELET RENÉ",
    "hr": "ĐURĐEVIĆ ŽELJKA|ČOVIĆ MLAĐAN|ŠĆEPANOVIĆ ANĐELA|KOVAČIĆ SANJA|ŽUPANČIČ ĐORĐE|BOŽIĆ NEBOJŠA",
    "ru": "ЩЕРБАКОВА АЛЁНА|КОРОЛЁВ СЕМЁН|ЩУКИН ИЛЬЯ|МИШИНА ЭЛЛА|ЦВЕТАЕВА ЮЛИЯ|ПОДЪЯЧЕВ ФЁДОР",
    "uk": "ЇЖАКЕВИЧ ЄВГЕН|ҐРЕЧКО ОЛЕКСІЙ|ЩЕРБИНА ЮЛІЯ|КИЇВСЬКИЙ ІГОР|ШЕВЧУК НАДІЯ|МАЦІЄВСЬКА ЇРИНА",
    "kk": "ҚАСЫМОВА ӘЙГЕРІМ|ӨТЕГЕНОВ ҒАБИТ|ҰЛЫҚПАН ЕҢЛІК|ЖҮНІСОВ НҰРЛАН|БӨКЕЙХАН ӘЛИХАН|ҚОҢЫРБАЕВ ҮМІТ",
}
READERS = {"ru": "print_cyrillic", "uk": "print_ukrainian", "kk": "print_cyrillic"}
TYPEFACES = 5
CAPITALS = (10, 13, 16, 20)
"""Pixels that a capital is tall."""


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--fonts", default="/usr/share/fonts")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--foreign", action="store_true")
    ask.add_argument("--json", type=Path)
    args = ask.parse_args()
    strange = [path for path, family in typefaces([args.fonts]) if is_held_out(family)]
    if not strange:
        raise SystemExit(
            "none of the typefaces that are kept for measuring is installed: see training/letters/README.md"
        )
    counts: dict[str, Counter[str]] = {}
    for language, names in NAMES.items():
        chance, counted = random.Random(f"{args.seed} {language}"), counts.setdefault(language, Counter())
        for name in names.split("|"):
            able = [path for path in strange if not lacks(path, name.replace(" ", ""))]
            for path in chance.sample(able, min(TYPEFACES, len(able))):
                counted.update(_read(name, path, language, args.foreign, chance))
        print(f"{language}: {_told(counted)}", flush=True)
    print(f"all: {_told(sum(counts.values(), Counter()))}")
    if args.json:
        args.json.write_text(json.dumps(counts, indent=1))


def _told(counted: Counter[str]) -> str:
    return ", ".join(f"{counted[key]} {key}" for key in ("lines", "right before", "right now", "spoilt"))


def _read(name: str, path: Path, language: str, foreign: bool, chance: random.Random) -> list[str]:
    page = _photographed(name, path, chance)
    quad = max(detect_lines(page), key=lambda one: float(cv2.contourArea(one)), default=None)
    if quad is None:
        print(f"no line was found: {name} in {path.stem}", file=sys.stderr)
        return ["lines"]
    script = Script.CYRILLIC if language in READERS else Script.LATIN
    if language in READERS:
        [read] = read_in(READERS[language], [crop_line(page, with_margin(quad))], persistent=True)
    else:
        [read] = recognise([crop_line(page, quad)])
    before = spelt(unicodedata.normalize("NFC", read.text), {})
    now = marks_again(page, with_margin(quad), before, script, [] if foreign else [language])
    was, is_now = (text.replace(" ", "") == name.replace(" ", "") for text in (before, now))
    return ["lines", *["right before"] * was, *["right now"] * is_now, *["spoilt"] * (was and not is_now)]


def _photographed(text: str, path: Path, chance: random.Random) -> np.ndarray:
    """The line on patterned paper, a little from the side, out of focus, with noise and compressed."""
    tall = chance.choice(CAPITALS)
    top = ImageFont.truetype(str(path), 100).getbbox("H", anchor="ls")[1]
    font = ImageFont.truetype(str(path), 100 * tall / max(1, -top))
    width, height = int(font.getlength(text)) + 120, tall * 7
    sheet = Image.new("RGB", (width, height), tuple(chance.randint(205, 245) for _ in range(3)))
    pen = ImageDraw.Draw(sheet)
    for x in range(0, width, 9):
        pen.line([(x, 0), (x + 40, height)], fill=tuple(chance.randint(185, 225) for _ in range(3)))
    pen.text((60, height * 0.6), text, font=font, fill=tuple(chance.randint(10, 70) for _ in range(3)), anchor="ls")
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    moved = [(chance.uniform(-0.012, 0.012) * width, chance.uniform(-0.08, 0.08) * height) for _ in corners]
    seen_from = cv2.getPerspectiveTransform(corners, corners + np.array(moved, np.float32))
    picture = cv2.warpPerspective(
        np.asarray(sheet)[:, :, ::-1].copy(), seen_from, (width, height), borderMode=cv2.BORDER_REPLICATE
    )
    picture = cv2.GaussianBlur(picture, (0, 0), chance.uniform(0.3, 1.0) * tall / 14)
    grain = np.random.default_rng(chance.randrange(1 << 30)).normal(0, chance.uniform(1, 9), picture.shape)
    dim = np.clip(picture * chance.uniform(0.6, 1.05) + grain, 0, 255).astype(np.uint8)
    stored = cv2.imencode(".jpg", dim, [cv2.IMWRITE_JPEG_QUALITY, chance.randint(45, 92)])[1]
    return np.asarray(cv2.imdecode(stored, cv2.IMREAD_COLOR))


if __name__ == "__main__":
    main()
