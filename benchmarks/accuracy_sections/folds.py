"""Nothing is chosen on what it is counted on: limits are chosen by other sources, and each source is counted by those.

A source is a repository of pictures, or a kind of document of one collection. What a person wrote while looking at a
document, above all the layout files, cannot be unseen by any fold; the page on accuracy says so.
"""

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.accuracy_rows import Row, share
from truename.vision import runtime
from truename.vision.document.limits import CHOSEN, ReadingLimits

ZONE_LIMITS: tuple[ReadingLimits, ...] = (
    CHOSEN,
    replace(CHOSEN, zone_second_weight=0.25),
    replace(CHOSEN, zone_second_weight=1.0),
    replace(CHOSEN, zone_dearest_line=0.3),
    replace(CHOSEN, zone_dearest_line=0.7),
    replace(CHOSEN, zone_least_for_repair=0.002),
    replace(CHOSEN, zone_least_for_repair=0.2),
    replace(CHOSEN, zone_clear=-0.25),
    replace(CHOSEN, zone_clear=-0.5),
)
"""The shipped limits first: of several that do equally well on the other sources, the first is taken."""
PAGE_LIMITS: tuple[ReadingLimits, ...] = (
    CHOSEN,
    replace(CHOSEN, outline_sure=0.92),
    replace(CHOSEN, line_sure=0.3),
    replace(CHOSEN, line_sure=0.7),
    replace(CHOSEN, glance_sure=0.95),
    replace(CHOSEN, glance_sure=1.1),
    replace(CHOSEN, outline_plain=1.1),
)


@dataclass(frozen=True)
class Counted:
    """How often something was right by limits that other sources chose, and by the shipped ones."""

    out_of_fold: int
    in_fold: int
    n: int

    def row(
        self,
        section: str,
        measure: str,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        note: str = "",
    ) -> Row:
        """The out-of-fold figure, with the other one beside it."""
        inside = f"in fold {100 * self.in_fold / self.n:.1f} %" if self.n else ""
        said = "; ".join(part for part in (inside, note) if part)
        return share(section, measure, self.out_of_fold, self.n, at_least=at_least, at_most=at_most, note=said)


def by_other_sources(right: Sequence[Sequence[bool]], sources: Sequence[str]) -> list[int]:
    """For each sample, which of the candidates the other sources choose. `right`: by sample, then by candidate."""
    table = np.asarray(right, bool)
    of = np.asarray(sources)
    chosen = {source: int(table[of != source].sum(0).argmax()) if (of != source).any() else 0 for source in set(of)}
    return [chosen[source] for source in of]


def counted(right: Sequence[Sequence[bool]], chosen: Sequence[int]) -> Counted:
    """Count with the candidates that were chosen, and with the shipped one."""
    return Counted(
        sum(bool(row[choice]) for row, choice in zip(right, chosen, strict=True)),
        sum(bool(row[0]) for row in right),
        len(right),
    )


@dataclass
class Remembering:
    """What remembering itself has cost so far: whoever measures inside takes it off."""

    seconds: float = 0.0


@contextmanager
def remembered_networks() -> Iterator[Remembering]:
    """Inside the block no network sees the same input twice: several limits cost little more than one."""
    known: dict[tuple[int, bytes], list[runtime.Array]] = {}
    plain = runtime.OnnxModel.run
    cost = Remembering()

    def run(model: runtime.OnnxModel, *arrays: runtime.Array) -> list[runtime.Array]:
        began = time.process_time()
        digest = hashlib.blake2b(digest_size=16)
        for array in arrays:
            digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
        key = (id(model), digest.digest())
        cost.seconds += time.process_time() - began
        if key not in known:
            known[key] = plain(model, *arrays)
        return known[key]

    runtime.OnnxModel.run = run  # type: ignore[method-assign, assignment]
    try:
        yield cost
    finally:
        runtime.OnnxModel.run = plain  # type: ignore[method-assign]
