"""Where each limit on rooms, copies and warps lies: walls, blocks and corners that are made for it."""

from dataclasses import replace
from functools import lru_cache
from math import cos, radians, sin

import cv2
import numpy as np
import pytest

from tests.support.faces import framed_still
from tests.support.told_views import frames_of
from truename.rules.evidence import QualityReason
from truename.vision.captures import Picture
from truename.vision.liveness import scenery
from truename.vision.liveness.cut_together import was_cut, was_faded
from truename.vision.liveness.one_room import is_one_room
from truename.vision.liveness.one_warp import Track, beside_one_warp, beside_the_room
from truename.vision.liveness.repeats import find_repeats
from truename.vision.liveness.room_differences import ANOTHER_ROOM, difference, has_details, room_of
from truename.vision.liveness.scenery import scene_growth, scene_moves_along
from truename.vision.liveness.views import View, view

WIDE, TALL = 300, 400


@lru_cache(maxsize=1)
def small_face() -> View:
    """A face with much room around it."""
    found = view(framed_still(None, (WIDE, TALL), 0.2))
    assert isinstance(found, View)
    return found


def before(picture: Picture, size: float = 1.0, number: int = 0) -> View:
    """The same head before something else, its face enlarged about the middle of the picture."""
    seen = small_face()
    middle = np.array([WIDE / 2, 0.45 * TALL, 0], np.float32)
    points = (seen.mesh.points - middle) * np.float32(size) + middle
    return replace(seen, picture=picture, number=number, mesh=replace(seen.mesh, points=points))


# ── the room that grows with the face ──────────────────────────────────────────────────────────────────────


def blocks(seed: int = 1, side: int = 12) -> Picture:
    """A wall full of corners."""
    values = np.random.default_rng(seed).integers(40, 220, (TALL // side + 1, WIDE // side + 1, 1), np.uint8)
    return np.repeat(np.kron(values[..., 0], np.ones((side, side), np.uint8))[:TALL, :WIDE, None], 3, axis=2)


def enlarged(picture: Picture, by: float) -> Picture:
    matrix = np.array([[by, 0, WIDE / 2 * (1 - by)], [0, by, 0.45 * TALL * (1 - by)]])
    return np.asarray(cv2.warpAffine(picture, matrix, (WIDE, TALL), borderMode=cv2.BORDER_REFLECT), np.uint8)


@pytest.mark.parametrize("face", [0.84, 1.1])
@pytest.mark.parametrize(("part", "along"), [(1.0, True), (0.85, True), (0.65, False), (0.0, False)])
def test_a_room_moves_along_when_its_corners_grow_nearly_as_much_as_the_face(face: float, part: float, along: bool):
    """Within a quarter of the face's own growth."""
    room = 1 + part * (face - 1)
    straight, moved = before(blocks()), before(enlarged(blocks(), room), face)
    assert scene_growth(straight, moved) == pytest.approx(room, abs=0.006)
    assert scene_moves_along(straight, moved) is along


def test_corners_on_one_side_do_not_speak_for_the_room():
    wall = blocks()
    wall[:, WIDE // 2 :] = 128
    assert scene_growth(before(wall), before(enlarged(wall, 1.1), 1.1)) is None


def smooth_wall(levels: float) -> Picture:
    """A wall without corners that is lighter and darker by so many levels."""
    column, row = np.meshgrid(np.linspace(0, 1, WIDE), np.linspace(0, 1, TALL))
    return np.repeat((128 + levels * np.sin(9 * column) * np.cos(11 * row))[..., None], 3, axis=2).astype(np.uint8)


@pytest.mark.parametrize("face", [0.8, 1.2])
def test_a_wall_without_corners_moves_along_where_the_face_s_own_growth_puts_it(
    monkeypatch: pytest.MonkeyPatch, face: float
):
    """A hand may shift the camera by a sixteenth of its width and bring it closer by a little; a plain wall is mute."""
    monkeypatch.setattr(scenery, "scene_growth", lambda *_: None)
    wall, plain = smooth_wall(50), smooth_wall(2)
    straight = before(wall)
    assert scene_moves_along(straight, before(enlarged(wall, face), face))
    assert not scene_moves_along(straight, before(wall, face))
    assert not scene_moves_along(straight, before(np.roll(wall, (12, -18), (0, 1)), face))
    assert not scene_moves_along(straight, before(enlarged(wall, 1.04), face))
    assert not scene_moves_along(before(plain), before(enlarged(plain, face), face))


@pytest.mark.parametrize(
    ("agreeing", "others", "wide", "told"),
    [
        (15, 0, 0.9, True),
        (13, 0, 0.9, False),
        (32, 20, 0.9, True),
        (20, 32, 0.9, False),
        (30, 0, 0.65, True),
        (30, 0, 0.55, False),
    ],
)
def test_a_room_is_told_by_fourteen_corners_half_of_all_on_both_sides(
    monkeypatch: pytest.MonkeyPatch, agreeing: int, others: int, wide: float, told: bool
):
    """Corners that were found again, told: the room has grown by a tenth, the camera was turned by twenty degrees."""
    random = np.random.default_rng(7)
    count = agreeing + others
    first = np.column_stack((np.linspace(10, 10 + wide * WIDE, agreeing), random.uniform(0, 200, agreeing)))
    first = np.vstack((first, random.uniform((10, 0), (WIDE, TALL), (others, 2))))
    turn = np.array([[cos(radians(20)), -sin(radians(20))], [sin(radians(20)), cos(radians(20))]])
    second = 1.1 * first @ turn.T
    second[agreeing:] = random.uniform((10, 0), (WIDE, TALL), (others, 2))
    known = random.integers(0, 256, (count, 32), np.uint8)
    found = iter([(first.tolist(), known), (second.tolist(), known)])
    monkeypatch.setattr(scenery, "_features", lambda _: next(found))
    growth = scene_growth(before(HERE), before(HERE))
    assert growth == (pytest.approx(1.1, abs=0.01) if told else None)


# ── cuts ───────────────────────────────────────────────────────────────────────────────────────────────────


def wall(tint: float = 0.0, gain: float = 1.0) -> View:
    """A wall whose colour is off by so many levels, in the mean of its primaries, at the same brightness."""
    colour = np.array([128 + 1.5 * tint, 128, 128 - 1.5 * tint]) * gain
    return before(np.full((TALL, WIDE, 3), np.rint(colour), np.uint8))


@pytest.mark.parametrize(
    ("tints", "cut"),
    [
        ((0, 0, 12, 12), True),
        ((0, 0, 8, 8), False),
        ((0, 0, 12, 0, 0), False),
        ((0, 4, 16, 20), True),
        ((0, 6, 18, 18), False),
        ((0, 0, 12, 18), False),
        ((0, 12), False),
    ],
)
def test_a_cut_changes_a_calm_room_by_ten_levels_for_good(tints: tuple[int, ...], cut: bool):
    """Frames beside a cut agree to five levels; who has no other frame beside it cannot tell."""
    assert was_cut([wall(tint) for tint in tints]) is cut


def test_a_camera_that_exposes_anew_does_not_cut_and_one_that_shows_another_wall_does():
    assert not was_cut([wall(), wall(), wall(gain=1.5), wall(gain=1.5)])
    assert not was_cut([wall(), wall(), wall(gain=1 / 1.5), wall(gain=1 / 1.5)])
    assert was_cut([wall(gain=0.9), wall(gain=0.9), wall(gain=1.9), wall(gain=1.9)]), "more than a camera would expose"


# ── fades ──────────────────────────────────────────────────────────────────────────────────────────────────


def room(seed: int) -> Picture:
    """Things of many sizes, wherever they are."""
    random = np.random.default_rng(seed)
    grey = sum(cv2.GaussianBlur(random.normal(0, 100 * size, (TALL, WIDE)), (0, 0), size) for size in (2.0, 6.0, 18.0))
    return np.repeat(np.clip(128 + grey, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


HERE, THERE, ELSEWHERE = room(1), room(5), room(2)


def mixed(*parts: float, third: int | None = None) -> list[View]:
    """Frames with this much of another room in them; the one that is named shows a third room."""
    pictures = [np.rint((1 - part) * HERE.astype(np.float64) + part * THERE).astype(np.uint8) for part in parts]
    return [before(ELSEWHERE if number == third else picture) for number, picture in enumerate(pictures)]


@pytest.mark.parametrize(
    ("parts", "faded"),
    [
        ((0, 0, 0.5, 1, 1), True),
        ((0, 0, 0.15, 1, 1), True),
        ((0, 0, 0.85, 1, 1), True),
        ((0, 0, 1, 1), False),
        ((0, 0, 0.03, 1, 1), False),
        ((0, 0, 0.3, 0.7, 1, 1), True),
        ((0, 0, 0.85, 0.15, 0.85, 0.15, 1, 1), True),
        ((0, 0, 0.85, 0.15, 0.85, 0.15, 0.85, 1, 1), False),
        ((0, 0.5, 1, 1), True),
        ((0, 0, 0.5, 1), True),
        ((0, 0, 0.5), False),
        ((0, 0, 0.5, 0, 0), False),
        ((0, 0, 0, 0.5, 1, 1, 1), True),
    ],
)
def test_one_room_is_faded_into_another_over_four_frames_at_most_between_two_that_agree(
    parts: tuple[float, ...], faded: bool
):
    assert was_faded(mixed(*parts)) is faded


def test_every_frame_between_is_a_mix_of_both_rooms():
    assert not was_faded(mixed(0, 0, 0.5, 1, 1, third=2))
    assert not was_faded(mixed(0, 0, 0.5, 0.5, 1, 1, third=3))


def test_rooms_without_details_and_rooms_that_a_camera_has_moved_fade_into_nothing():
    walls = [wall(tint) for tint in (0, 0, 6, 12, 12)]
    assert not was_faded(walls), "a lamp may have been turned up"
    one, moved = HERE, np.roll(HERE, (7, 18), (0, 1))
    between = ((one.astype(int) + moved) // 2).astype(np.uint8)
    assert not was_faded([before(picture) for picture in (one, one, between, moved, moved)])


# ── one room ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("shown", "one"),
    [
        ("HHHHHH", True),
        ("HHHTTT", False),
        ("HHHMMM", False),
        ("HHHETTT", False),
        ("HTHTHT", False),
        pytest.param("HTEHTEHTE", False, marks=pytest.mark.slow),
        pytest.param("HHHTTHH", False, marks=pytest.mark.slow),
        pytest.param("TTHHHH", False, marks=pytest.mark.slow),
        ("HHHHTT", False),
        ("HHHHT", False),
        ("THHHH", False),
        ("HHTHH", False),
        pytest.param("HHTTEE", False, marks=pytest.mark.slow),
    ],
)
def test_frames_that_nothing_links_to_any_others_were_taken_before_another_room(shown: str, one: bool):
    """In whichever order they come, and be it a single one."""
    rooms = {"H": HERE, "M": np.ascontiguousarray(HERE[:, ::-1]), "T": THERE, "E": ELSEWHERE}
    assert is_one_room([before(rooms[letter]) for letter in shown]) is one


def test_few_frames_are_linked_by_any_other_frame_and_by_one_side_of_the_room():
    """The last frame before them need not be like them: somebody passes, a finger comes before the lens."""
    half = HERE.copy()
    half[:, : WIDE // 2] = THERE[:, : WIDE // 2]
    assert is_one_room([before(picture) for picture in (HERE, HERE, HERE, half)])
    away = np.ascontiguousarray(np.hstack((HERE, THERE))[:, 150 : 150 + WIDE])
    assert not is_one_room([before(picture) for picture in (HERE, HERE, HERE, THERE)])
    assert is_one_room([before(picture) for picture in (THERE, away, HERE, HERE, HERE, THERE)])
    assert is_one_room([before(picture) for picture in (THERE, away, HERE, HERE, HERE, THERE, THERE)])


def test_two_views_of_one_room_that_a_later_frame_links_were_neither_cut_nor_faded_together():
    """A hand that swings the camera far between two frames; a third one shows some of both."""
    wide = np.hstack((HERE, THERE))
    left, between, right = (np.ascontiguousarray(wide[:, at : at + WIDE]) for at in (0, 150, 300))
    both = ((left.astype(int) + right) // 2).astype(np.uint8)
    assert was_cut([before(picture) for picture in (left, left, right, right)])
    assert not was_cut([before(picture) for picture in (left, left, right, right, between)])
    assert was_faded([before(picture) for picture in (left, left, both, right, right)])
    assert not was_faded([before(picture) for picture in (left, left, both, right, right, between)])


def test_a_camera_that_is_swung_shows_one_room_as_long_as_frames_on_its_way_link_what_it_shows():
    wide = np.hstack((HERE, THERE))

    def swung(*places: int) -> list[View]:
        return [before(np.ascontiguousarray(wide[:, at : at + WIDE])) for at in places]

    assert is_one_room(swung(0, 0, 0, 50, 100, 150, 200, 250, 300, 300, 300))
    assert is_one_room(swung(0, 50, 100, 50, 0))
    assert not is_one_room(swung(0, 0, 0, 300, 300, 300))


def test_another_light_and_walls_without_details_are_no_other_room():
    lamp = np.linspace(0.3, 1.0, WIDE)[None, :, None]
    lit = (HERE * lamp).astype(np.uint8)
    assert (difference(room_of(before(HERE)), room_of(before(lit))) or 0.0) > ANOTHER_ROOM
    assert is_one_room([before(picture) for picture in (HERE, HERE, HERE, lit, lit, lit)])
    assert is_one_room([wall(tint) for tint in (0, 0, 0, 30, 30, 30)])
    assert is_one_room([])
    covered = [before(HERE)] * 3 + [wall()] * 3 + [before(THERE)] * 3
    assert not is_one_room(covered), "a wall between them links nothing"


@pytest.mark.parametrize("wide", [110.0, 125.0])
def test_a_room_of_which_little_is_seen_is_one_under_another_light_and_not_another_one(wide: float):
    """A near face leaves no more than a rim of it: enough to know details again, once there are any."""

    def behind(picture: Picture) -> View:
        box = ((WIDE - wide) / 2, 0.45 * TALL - 0.65 * wide, wide, 1.3 * wide)
        return replace(before(picture), face=replace(small_face().face, box=box))

    light = np.linspace(0.4, 1.3, WIDE)[None, :, None]
    lit = behind(np.clip(HERE * light, 0, 255).astype(np.uint8))
    here, there = behind(HERE), behind(THERE)
    assert all(has_details(one) for one in (here, there, lit))
    assert (difference(room_of(here), room_of(lit)) or 0) >= ANOTHER_ROOM, "by its colours it is another room"
    assert is_one_room([here, here, lit, lit])
    assert not is_one_room([here, here, there, there])


# ── copies ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("changed", "copied"), [(0.75, True), (0.95, False)])
def test_two_frames_are_one_picture_below_a_difference_of_085_levels(changed: float, copied: bool):
    """So many of the fields are a level lighter or darker."""
    random = np.random.default_rng(2)
    one = np.full((256, 256, 3), 120, np.uint8)
    fields = np.where(random.random((64, 64)) < changed, random.choice((-1, 1), (64, 64)), 0)
    other = (one + np.kron(fields, np.ones((4, 4)))[..., None]).astype(np.uint8)
    frames = frames_of([before(one), before(other)])
    lost = [QualityReason.NO_FACE] * 2
    assert find_repeats(frames, [one, other], lost).found is copied
    assert find_repeats([frames[0], replace(frames[1], image=frames[0].image)], [one, other], lost).found


FACE = np.s_[140:220, 120:180]
"""Some of the face and nothing beside it."""


def copied_under_noise(moved: float, elsewhere: float = 0.0) -> bool:
    """A picture with noise of eight levels, smooth changes by so many in the face, and stripes of so many above it."""
    random = np.random.default_rng(4)
    smooth = cv2.GaussianBlur(random.normal(0, 1, (TALL, WIDE)), (0, 0), 12)
    smooth[:120] = smooth[240:] = smooth[:, :100] = smooth[:, 200:] = 0
    change = random.normal(0, 8, (TALL, WIDE)) + moved * smooth / smooth[FACE].std()
    change[:100] += elsewhere * np.sign(np.sin(np.arange(WIDE) / WIDE * 8 * np.pi))
    one = np.clip(HERE, 40, 215)
    still, other = before(one), before(np.clip(one + change[..., None], 0, 255).astype(np.uint8), number=1)
    left, top, wide, tall = other.face.box
    # Found a tenth of its width beside: that it did not move is no sign by itself.
    aside = replace(other.face, box=(left + 0.1 * wide, top, wide, tall))
    views = [still, replace(other, face=aside)]
    return find_repeats(frames_of(views), [one.picture for one in views], views).found


@pytest.mark.parametrize(("moved", "copied"), [(0.0, True), (0.38, True), (0.8, False), (3.0, False)])
def test_a_copy_under_noise_differs_by_noise_alone_and_a_head_has_always_moved(moved: float, copied: bool):
    assert copied_under_noise(moved) is copied


@pytest.mark.parametrize(("elsewhere", "looked_at"), [(2.0, True), (4.5, False)])
def test_only_frames_that_are_nearly_the_same_as_a_whole_are_looked_at_for_noise(elsewhere: float, looked_at: bool):
    assert copied_under_noise(0.0, elsewhere) is looked_at


# ── warps ──────────────────────────────────────────────────────────────────────────────────────────────────


def track(head: float, room: float = 0.0, around: int = 60, seed: int = 0) -> Track:
    """Corners of a head that lie so many pixels beside where they were, each its own way, and of a room likewise."""
    random = np.random.default_rng(seed)
    corners = random.uniform(40, 216, (around + 40, 2))
    angles = random.uniform(0, 2 * np.pi, len(corners))
    on_head = np.arange(len(corners)) >= around
    off = np.where(on_head, head, room)
    return Track(corners, np.column_stack((np.cos(angles), np.sin(angles))) * off[:, None], on_head)


def test_what_a_head_lies_beside_one_warp_is_measured_and_one_frame_that_fits_is_chosen():
    tracks = [[track(2.0, seed=seed), track(0.4, seed=seed)] for seed in range(8)]
    assert beside_one_warp(tracks) == pytest.approx(0.4, abs=0.12)
    assert beside_the_room(tracks) == pytest.approx(0.4, abs=0.1)


def test_a_smooth_warp_of_all_frames_is_taken_out_and_half_of_the_frames_are_enough():
    def warped(one: Track) -> Track:
        x, y = (one.corners / 128 - 1).T
        return replace(one, moved=one.moved + np.column_stack((3 + 2 * x * y, 4 * x - y**3)))

    assert beside_one_warp([[warped(track(0.2, 0.2, seed=seed))] for seed in range(8)]) < 0.3
    assert beside_one_warp([[track(3.0, seed=seed)] for seed in range(8)]) > 1.5
    mixed = [[track(0.2 if seed < 4 else 5.0, seed=seed)] for seed in range(8)]
    assert beside_the_room(mixed) < 0.4
    assert beside_the_room([[track(0.2 if seed < 3 else 5.0, seed=seed)] for seed in range(8)]) > 4


@pytest.mark.parametrize(
    ("around", "room", "measured"),
    [(60, 0.0, True), (26, 0.0, True), (24, 0.0, False), (60, 0.3, True), (60, 0.6, False)],
)
def test_a_head_is_measured_against_its_room_where_enough_of_it_is_still(around: int, room: float, measured: bool):
    assert np.isfinite(beside_the_room([[track(0.2, room, around)]])) == measured


def test_corners_that_were_lost_speak_against_it():
    one = track(0.1)
    lost = one.moved.copy()
    lost[one.on_head.nonzero()[0][:30]] = np.nan
    assert beside_the_room([[replace(one, moved=lost)]]) == np.inf
