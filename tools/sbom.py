"""Write the bill of materials (CycloneDX 1.6, JSON) of the wheel: what it requires, bundles and sees with.

    python tools/sbom.py dist/truename-0.2.0.cdx.json

Every library that requirements/run.txt pins, with the hashes under which it may be installed and the licence that its
metadata states; every browser file of npm.toml; every model of the table with its hash and the licence of its weights.
Fails when a library states no licence.
"""

import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement

from truename.bundled.drawing import CARRIED
from truename.bundled.npm import npm_packages
from truename.bundled.postgresql import PGVECTOR
from truename.vision.model_table import NPM, OURS, SHIPPED

ROOT = Path(__file__).parents[1]
PINNED = ROOT / "requirements" / "run.txt"


class NoLicence(Exception):
    """A library does not say under which terms it may be used."""


def bill_of_materials() -> Bom:
    """The whole bill, for the version that is installed."""
    bom = Bom()
    version = metadata.version("truename")
    whole = Component(
        name="truename",
        version=version,
        type=ComponentType.APPLICATION,
        purl=PackageURL("pypi", None, "truename", version),
    )
    bom.metadata.component = whole
    parts = [*libraries(), *browser_files(), *models(), *carried()]
    bom.components.update(parts)
    bom.register_dependency(whole, parts)
    return bom


def libraries() -> Iterator[Component]:
    """What pip installs beside the wheel, as far as this platform needs it."""
    for requirement, hashes in pinned(PINNED.read_text(encoding="utf-8")):
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        version = next(iter(requirement.specifier)).version
        yield Component(
            name=requirement.name,
            version=version,
            type=ComponentType.LIBRARY,
            purl=PackageURL("pypi", None, requirement.name, version),
            bom_ref=f"pypi/{requirement.name}",
            licenses=[DisjunctiveLicense(name=licence_of(requirement.name))],
            external_references=[
                ExternalReference(
                    type=ExternalReferenceType.DISTRIBUTION,
                    url=XsUri(f"pkg:pypi/{requirement.name}@{version}"),
                    hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one) for one in hashes],
                )
            ],
        )


def browser_files() -> Iterator[Component]:
    """What the pages load that others wrote."""
    for package in npm_packages():
        yield Component(
            name=package.name,
            version=package.version,
            type=ComponentType.LIBRARY,
            purl=PackageURL("npm", None, package.name, package.version),
            bom_ref=f"npm/{package.name}",
            licenses=[DisjunctiveLicense(name=package.licence)],
            properties=[Property(name="truename:served_by", value=package.used_by)],
            components=[
                Component(
                    name=file,
                    type=ComponentType.FILE,
                    bom_ref=f"npm/{package.name}/{file}",
                    hashes=[HashType(alg=HashAlgorithm.SHA_256, content=total)],
                )
                for file, total in zip(package.files, package.hashes, strict=True)
            ],
        )


def models() -> Iterator[Component]:
    """Every network of the table; those that an operator must bring or add are optional."""
    for row in SHIPPED:
        kind = "npm" if (row.package or "").startswith(NPM) else "pypi"
        carrier = (
            None if row.package in (None, OURS) else PackageURL(kind, None, row.package.removeprefix(NPM), row.version)
        )
        yield Component(
            name=row.name,
            version=row.version or None,
            description=row.purpose,
            type=ComponentType.MACHINE_LEARNING_MODEL,
            bom_ref=f"model/{row.name}",
            licenses=[DisjunctiveLicense(name=row.weights_licence)],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=row.sha256)] if row.sha256 else [],
            properties=[
                Property(name="truename:code_licence", value=row.code_licence),
                Property(name="truename:shipped", value="yes" if row.available else "no"),
                *([Property(name="truename:carrier", value=carrier.to_string())] if carrier else []),
            ],
        )


def carried() -> Iterator[Component]:
    """What the sandbox draws with, and what the embedded database loads on some machines."""
    for file in (*CARRIED, PGVECTOR):
        name = Path(file.bundled.name).name
        yield Component(
            name=name,
            version=file.version,
            description=file.purpose,
            type=ComponentType.FILE,
            bom_ref=file.bundled.name,
            licenses=[DisjunctiveLicense(name=file.licence)],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=file.bundled.sha256)],
        )


def pinned(text: str) -> Iterator[tuple[Requirement, list[str]]]:
    """Each requirement of a file that pip-compile wrote, with its hashes."""
    for entry in re.split(r"\n(?=\S)", text.replace("\\\n", " ")):
        line = entry.strip()
        if line and not line.startswith("#"):
            yield Requirement(line.split("--hash")[0].strip()), re.findall(r"--hash=sha256:([0-9a-f]{64})", line)


def licence_of(name: str) -> str:
    """What the metadata of an installed library states; raises NoLicence when it states nothing."""
    told = metadata.metadata(name)
    stated = (_stated(told, "License-Expression") or _stated(told, "License")).split("\n")[0]
    classifiers = [
        one.rpartition(" :: ")[2] for one in told.get_all("Classifier") or () if one.startswith("License ::")
    ]
    # Some put the whole text there, which begins with whose it is.
    found = stated if stated and not stated.startswith("Copyright") else "; ".join(classifiers)
    if not found:
        raise NoLicence(f"{name} states no licence in its metadata.")
    return found


def _stated(told: metadata.PackageMetadata, field: str) -> str:
    return (told[field] or "").strip() if field in told else ""


def main() -> None:
    """Write the bill into the file that was named."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = Path(sys.argv[1])
    bom = bill_of_materials()
    target.write_text(JsonV1Dot6(bom).output_as_string(indent=2) + "\n", encoding="utf-8")
    print(f"{target}: {len(bom.components)} components")


if __name__ == "__main__":
    main()
