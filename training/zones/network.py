"""The zone finder: marks the lines of machine-readable zones, and the zones."""

from training.marking import MarkingNetwork


class ZoneFinder(MarkingNetwork):
    """Marks the cores of a zone's lines and the area of the zone."""

    def __init__(self) -> None:
        super().__init__(widths=(16, 32, 56, 88, 120), depths=(0, 1, 2, 2, 2), up=(72, 48, 32, 20))
