"""The outline finder: marks the pixels of the document and of its border."""

from training.marking import MarkingNetwork


class OutlineFinder(MarkingNetwork):
    """Marks document and border."""

    def __init__(self) -> None:
        super().__init__(widths=(20, 40, 64, 96, 128), depths=(0, 1, 2, 2, 1), up=(72, 56, 36, 20))
