"""Another room is a cut; another light on the same room is none."""

from collections.abc import Sequence

import skimage.data
from benchmarks.disturbed_frames import under_lamp

from tests.support import faces
from truename.sandbox.drawing.head_scene import HeadScene, Pose
from truename.vision.liveness.cuts import ANOTHER_ROOM, details_stayed, difference, room_of, was_cut
from truename.vision.liveness.views import View, view


def views_before(scene: HeadScene, poses: Sequence[Pose], lamp: float = 0.0) -> list[View]:
    pictures = [scene.render(pose) for pose in poses]
    seen = [view(under_lamp(picture, 0, lamp) if lamp else picture) for picture in pictures]
    assert all(isinstance(one, View) for one in seen)
    return [one for one in seen if isinstance(one, View)]


def test_a_lamp_that_is_switched_on_is_no_cut_and_another_room_is_one():
    """The room's colours change at once and stay changed; its edges are where they were, or not."""
    scene = faces.head_scene(faces.framed_still(None, (360, 480), 0.3))
    turning = [Pose(yaw=yaw) for yaw in (10.0, 14.0, 18.0, 22.0)]
    before, after = views_before(scene, turning[:2]), views_before(scene, turning[2:], lamp=2.0)
    assert (difference(room_of(before[1]), room_of(after[0])) or 0) >= ANOTHER_ROOM, "by its colours it is another room"
    assert not was_cut([*before, *after])
    scene.background[:] = skimage.data.coffee()[:360, :480].transpose(1, 0, 2)[:480, :360]
    assert was_cut([*before, *views_before(scene, turning[2:])])
    scene.background[:] = (90, 160, 80)
    walls = views_before(scene, turning[:2])
    assert was_cut([*before, *walls])
    assert not details_stayed(walls[0], walls[1]), "a plain wall has no details that could stay"
