"""What a process tells vision before it looks at anything: nothing here is read from the environment.

The doors turn their settings into one `VisionConfiguration` and call `configure` once, when the process starts.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class FaceRecipe(StrEnum):
    """Which networks make a face template. Templates of different recipes are never compared."""

    SFACE_AND_MOBILEFACENET = "sface+mobilefacenet"
    """SFace counts seven tenths, MobileFaceNet three: it errs on other pairs, above all on worn portraits."""
    SFACE = "sface"
    """SFace alone: a third of the time less, and somewhat more people refused."""
    EDGEFACE = "edgeface"
    """SFace counts three tenths, EdgeFace-S seven: far fewer people refused. Its weights are not installed by default,
    because their licence is disputed; `truename models add edgeface` says so and fetches them."""


class InferenceProvider(StrEnum):
    """On what onnxruntime runs the graphs."""

    CPU = "cpu"
    CUDA = "cuda"
    """A GPU of NVIDIA's, by the package `onnxruntime-gpu` in place of `onnxruntime`."""


@dataclass(frozen=True, slots=True)
class VisionConfiguration:
    """Everything about seeing that an operator may set."""

    models_file: Path | None = None
    """A TOML file that replaces or adds rows of the model table."""
    threads: int = 1
    """Threads that one inference may use; one by default, because worker processes scale better."""
    face_recipe: FaceRecipe = FaceRecipe.SFACE_AND_MOBILEFACENET
    added_models: Path | None = None
    """The folder into which `truename models add` puts weights that are not installed with the others."""
    read_all_print: bool = False
    """Read all print of a passport, for place of birth and authority, also where the print confirms the zone."""
    provider: InferenceProvider = InferenceProvider.CPU
    batch: int = 1
    """Pictures of several transactions that one graph may be run on together; one: each for itself."""
    layouts: Path | None = None
    """A folder of layout files that take the place of their countries' own, or describe countries that have none."""


_current = VisionConfiguration()


def configure(chosen: VisionConfiguration) -> None:
    """Set the configuration of this process. Models that are loaded already stay as they were loaded."""
    global _current
    _current = chosen


def configuration() -> VisionConfiguration:
    """The configuration of this process; the defaults until somebody has configured it."""
    return _current


@contextmanager
def configured(chosen: VisionConfiguration) -> Iterator[None]:
    """Another configuration inside the block, for benchmarks and tests that compare two."""
    before = configuration()
    configure(chosen)
    try:
        yield
    finally:
        configure(before)
