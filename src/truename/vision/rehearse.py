"""Look at something once before the first person's picture comes: what takes a second to load is loaded by then."""

import numpy as np

from truename.vision.captures import Picture, Side
from truename.vision.document.preview import preview_document
from truename.vision.face.detect import Face
from truename.vision.face.mesh import mesh


def rehearse_looks() -> None:
    """Load every network that uploads are looked at with, and the libraries behind them.

    Else the first upload waits for it, and so do the requests of others, whom loading stops for up to half a second
    where cores are scarce. Raises ModelUnavailable where a file of the operator's own is no network.
    """
    card = _card()
    preview_document(card, Side.FRONT)
    points = np.array([[300, 250], [400, 250], [350, 300], [310, 350], [390, 350]], np.float32)
    mesh(card, Face((250.0, 150.0, 200.0, 260.0), points, 1.0))


def _card() -> Picture:
    """A white card on a dark table, with something in one line that may be print."""
    picture: Picture = np.full((600, 800, 3), 60, np.uint8)
    picture[100:500, 80:720] = 230
    picture[150:180, 140:400:12] = 20
    return picture
