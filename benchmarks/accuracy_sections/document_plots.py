"""Which kinds of document are taken for which?"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from truename.rules.evidence import DocumentType


def plot_kinds(file: Path, said: Sequence[tuple[DocumentType | None, DocumentType | None]]) -> None:
    """A table of pairs: the true kind of each document, and the kind that was said."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = [*(kind.value for kind in DocumentType), "unknown"]
    counts = Counter(said)
    table = np.zeros((len(names), len(names)), int)
    for (true, told), count in counts.items():
        table[names.index(true.value if true else "unknown"), names.index(told.value if told else "unknown")] += count
    figure, axes = plt.subplots(figsize=(7, 6), dpi=130)
    axes.imshow(table, cmap="Blues")
    for y, x in np.ndindex(*table.shape):
        if table[y, x]:
            axes.text(
                x,
                y,
                str(table[y, x]),
                ha="center",
                va="center",
                color="white" if table[y, x] > table.max() / 2 else "black",
            )
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("said")
    axes.set_ylabel("true")
    axes.set_title("Kinds of document")
    figure.tight_layout()
    figure.savefig(file)
    plt.close(figure)
