"""Makes batches of first-hand pictures (0) and pictures of pictures (1): patches at native scale, views of the whole.

Both kinds start from the same scenes and end in the same resizing and JPEG, so that neither tells them apart.
"""

import io
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor

from training.recapture.camera import Camera, Chance, blurred, to_light
from training.recapture.media import Media
from training.recapture.people import SKINS, People

PATCH = 112
VIEW = 160
FACE = 1 / 3.5
"""Half the width of the face in a view, whose half side is 1."""
_FINE, _TAKEN = 512, 256

Batch = tuple[Tensor, Tensor]
"""Pictures from −1 to 1, and 1 for each picture of a picture."""


def load_photographs(file: Path, device: torch.device) -> Tensor:
    """The squares of `photographs.py`, as bytes on the device."""
    packed = np.load(file)
    ends = np.cumsum(packed["lengths"])
    squares = [
        np.asarray(Image.open(io.BytesIO(packed["pixels"][end - length : end].tobytes())).convert("RGB"))
        for end, length in zip(ends, packed["lengths"], strict=True)
    ]
    return torch.from_numpy(np.stack(squares)).permute(0, 3, 1, 2).contiguous().to(device)


class _Scenes:
    def __init__(self, photographs: Tensor, seed: int) -> None:
        self.photographs = photographs
        self.chance = Chance(photographs.device, seed)
        self.camera = Camera(self.chance)
        self.media = Media(self.chance)
        self.skins = torch.tensor(SKINS, device=photographs.device)

    def _sampled(self, pictures: Tensor, side: int, zoom: Tensor, turned: float = 0.15) -> Tensor:
        """Each picture seen at its zoom (1: as it fills the frame), shifted, turned and mirrored by chance."""
        c, size = self.chance, len(pictures)
        angle = c.normal(size) * turned
        flip = torch.where(c.coin(0.5, size) > 0, 1.0, -1.0)
        cos, sin = torch.cos(angle) / zoom, torch.sin(angle) / zoom
        spare = (1 - 1 / zoom).clamp(min=0)
        shift = c.uniform(-1, 1, size, 2) * spare[:, None]
        turn = torch.stack(
            [torch.stack([cos * flip, -sin, shift[:, 0]], 1), torch.stack([sin * flip, cos, shift[:, 1]], 1)], 1
        )
        grid = F.affine_grid(turn, [size, 3, side, side], align_corners=False)
        return F.grid_sample(pictures, grid, mode="bilinear", padding_mode="reflection", align_corners=False).clamp(
            0, 1
        )

    def _photograph(self, size: int, side: int, zoom: Tensor, turned: float = 0.15) -> Tensor:
        chosen = self.photographs[self.chance.whole(len(self.photographs), size)].float() / 255
        return self._sampled(chosen, side, zoom, turned)

    def _invented(self, size: int, side: int) -> Tensor:
        """Skin, cloth and hair: clouds of every size in one colour, hairs, creases."""
        c = self.chance
        base = self.skins[c.whole(len(SKINS), size)] * c.uniform(0.4, 1.1, size, 1)
        plain = c.uniform(0.03, 0.95, size, 3)
        base = torch.where(c.coin(0.65, size, 1) > 0, base, plain)[:, :, None, None]
        shade = torch.zeros(size, 1, side, side, device=c.device)
        for cells in (3, 7, 19, 61, 160):
            shade = shade + c.clouds(size, 1, cells, side) * c.log_uniform(0.004, 0.22, size, 1, 1, 1)
        hairs = blurred(c.normal(size, 1, side, side), c.uniform(0.5, 1.2, size, 1, 1, 1), c.normal(size, 2) * 25)
        hairs = hairs / hairs.std((2, 3), keepdim=True)
        where = (c.clouds(size, 1, 4, side) > c.uniform(-0.3, 1.5, size, 1, 1, 1)).float()
        shade = shade + hairs * 0.3 * blurred(where, torch.full((size, 1, 1, 1), 4.0, device=c.device))
        edge = torch.tanh(c.clouds(size, 1, 4, side) * c.log_uniform(2, 40, size, 1, 1, 1))
        return (base * torch.exp(shade + edge * c.uniform(0, 0.7, size, 1, 1, 1))).clamp(0, 1)

    def _mixed(self, one: Tensor, other: Tensor, labels: Tensor) -> Tensor:
        pick = labels[:, None, None, None]
        return one * (1 - pick) + other * pick


class Patches(_Scenes):
    """Patches of 112 × 112 pixels, as a camera or a video gave them."""

    def batch(self, size: int) -> Batch:
        c = self.chance
        labels = c.coin(0.5, size)
        zoom = c.log_uniform(0.8, 4.0, size)
        bigger = c.log_uniform(0.65, 2.0, size)
        scene = self._scene(size, torch.where(labels > 0, (zoom / bigger).clamp(min=0.6), zoom))
        first = self.camera.take(to_light(scene))
        again = labels > 0
        count = int(again.sum())
        if count:
            # What is shown went through a video's or a messenger's resizing before.
            small = F.interpolate(first[again], scale_factor=float(c.uniform(0.5, 1.0, 1)), mode="area")
            shown = self._sampled(small, _FINE, bigger[again], 0.04)
            light = self.media.shown(shown)
            first[again] = self.camera.take(light)
        return self._sent(first) * 2 - 1, labels

    def _scene(self, size: int, zoom: Tensor) -> Tensor:
        c = self.chance
        photograph = self._photograph(size, _FINE, zoom, 0.4)
        # Photographs of things in the colours and the contrast of skin.
        grey = photograph.mean(1, keepdim=True)
        skin = self.skins[c.whole(len(SKINS), size)][:, :, None, None]
        calm = c.uniform(0.1, 0.8, size, 1, 1, 1)
        like_skin = skin * (grey / grey.mean((2, 3), keepdim=True).clamp(min=0.05)).clamp(0, 3) ** calm
        photograph = self._mixed(photograph, like_skin.clamp(0, 1), c.coin(0.5, size))
        scene = self._mixed(photograph, self._invented(size, _FINE), c.coin(0.35, size))
        return blurred(scene, c.log_uniform(0.3, 3.0, size, 1, 1, 1) * c.coin(0.3, size, 1, 1, 1)).clamp(0, 1)

    def _sent(self, pictures: Tensor) -> Tensor:
        """Resized by a few factors, compressed once more, cut out."""
        c, parts = self.chance, []
        for group in pictures.chunk(8):
            # Most pictures that arrive were made smaller: a phone's camera has more pixels than are sent.
            side = int(c.uniform(PATCH + 16, _TAKEN * 1.05, 1)) // 16 * 16
            resized = F.interpolate(group, size=(side, side), mode="bilinear", antialias=True, align_corners=False)
            resized = self.camera.jpeg(resized.clamp(0, 1), 50)
            top, left = (int(v) for v in c.whole(side - PATCH + 1, 2))
            parts.append(resized[..., top : top + PATCH, left : left + PATCH])
        return torch.cat(parts)


class Views(_Scenes):
    """The face with what is around it: three and a half face widths, 160 × 160 pixels, black beyond the picture."""

    def __init__(self, photographs: Tensor, seed: int) -> None:
        super().__init__(photographs, seed)
        self.side = 2 * VIEW
        self.people = People(self.chance, self.side)
        axis = torch.linspace(-1, 1, self.side, device=photographs.device)
        self.y, self.x = axis[None, None, :, None], axis[None, None, None, :]

    def batch(self, size: int) -> Batch:
        c = self.chance
        labels = c.coin(0.5, size)
        half = FACE * c.uniform(0.75, 1.25, size)
        middle = c.normal(size, 2) * 0.08
        room = self._room(size)
        living = to_light(self._person(room, middle, half))
        held = self._held(room, middle, half)
        light = self._mixed(living, held, labels)
        light = blurred(light, c.log_uniform(0.3, 4, size, 1, 1, 1) * c.coin(0.5, size, 1, 1, 1)).clamp(min=0)
        return self._cut(self.camera.take(light, 50)) * 2 - 1, labels

    def _room(self, size: int) -> Tensor:
        """A wall, a photograph's scenery, or both, with boxes in it: doors, posters, windows, screens."""
        c = self.chance
        ground = self._photograph(size, self.side, c.log_uniform(0.8, 3.0, size))
        wall = c.uniform(0.05, 0.95, size, 1, 1, 1) + 0.08 * c.normal(size, 3, 1, 1)
        wall = wall + 0.05 * c.clouds(size, 1, 3, self.side)
        ground = self._mixed(ground, wall.clamp(0, 1), c.coin(0.5, size))
        ground = blurred(ground, c.log_uniform(0.3, 8, size, 1, 1, 1)).clamp(0, 1)
        seen = self._photograph(size, self.side, c.uniform(1, 3, size))
        for _ in range(4):
            angle = c.normal(size, 1, 1, 1) * 0.06
            middle, reach = c.uniform(-1.1, 1.1, 2, size, 1, 1, 1), c.log_uniform(0.03, 0.9, 2, size, 1, 1, 1)
            x, y = self.x - middle[0], self.y - middle[1]
            across, down = (x + angle * y).abs() - reach[0], (y - angle * x).abs() - reach[1]
            inside = torch.sigmoid(-torch.maximum(across, down) * self.side / 2)
            colour = c.uniform(0, 1, size, 1, 1, 1) + 0.12 * c.normal(size, 3, 1, 1)
            filled = self._mixed(colour.expand_as(ground), seen, c.coin(0.3, size))
            ground = self._over(ground, filled.clamp(0, 1), inside * c.coin(0.35, size, 1, 1, 1))
        return ground

    def _person(self, ground: Tensor, middle: Tensor, half: Tensor) -> Tensor:
        c, size = self.chance, len(ground)
        cloth = self._mixed(
            self._photograph(size, self.side, c.uniform(1, 4, size)),
            (c.uniform(0.02, 0.95, size, 1, 1, 1) + 0.15 * c.normal(size, 3, 1, 1)).clamp(0, 1).expand_as(ground),
            c.coin(0.6, size),
        )
        return self.people.drawn(ground, middle, half, cloth)

    def _held(self, room: Tensor, middle: Tensor, half: Tensor) -> Tensor:
        """The light of a room in which a picture of somebody is held before the camera."""
        c, size = self.chance, len(room)
        inner = FACE * c.log_uniform(0.9, 2.6, size)
        at = torch.stack([c.normal(size) * 0.12, c.normal(size) * 0.1 - 0.15], 1)
        drawn = self._person(self._room(size), at, inner)
        # Half of them so sharp that lost detail alone tells nothing.
        picture = F.interpolate(self.camera.take(to_light(drawn), 50), size=drawn.shape[-2:], mode="bilinear")
        picture = self._mixed(picture, drawn, c.coin(0.5, size))
        wide, tall = c.uniform(0.5, 1.0, size), c.uniform(0.75, 1.0, size)
        above = middle + c.normal(size, 2) * 0.5 - torch.tensor([0.0, 1.6], device=c.device)
        behind = self._mixed(room, self._person(room, above, half * 1.3), c.coin(0.4, size))
        scale = half / inner
        u, v = self._plane(middle, at, scale, c.normal(size) * 0.09)
        places = torch.stack([u, v], -1)
        shown = F.grid_sample(picture, places, mode="bilinear", padding_mode="border", align_corners=False)
        shown = self._bars(shown, u[:, None], v[:, None], tall)
        fine = c.coin(0.5, size)
        light = self._mixed(self.media.shown(shown, fine=False), self.media.shown(shown), fine)
        light = light * c.log_uniform(0.4, 2.2, size, 1, 1, 1)
        width = (2 / self.side / scale)[:, None, None, None]
        paper = c.coin(0.5, size, 1, 1, 1)
        rim = c.uniform(0, 0.14, size, 1, 1, 1) * c.coin(0.7, size, 1, 1, 1)
        across, down = u[:, None].abs() - wide[:, None, None, None], v[:, None].abs() - tall[:, None, None, None]
        edge = torch.maximum(across, down)
        frame = paper * c.uniform(0.55, 0.95, size, 1, 1, 1) + (1 - paper) * c.uniform(0.005, 0.08, size, 1, 1, 1)
        scene = to_light(behind)
        shadow = torch.exp(-(edge - rim).clamp(min=0) / 0.08) * c.uniform(0, 0.5, size, 1, 1, 1)
        scene = scene * (1 - shadow)
        scene = self._over(scene, frame.expand_as(scene), torch.sigmoid((rim - edge) / width))
        scene = self._over(scene, light, torch.sigmoid(-edge / width))
        return self._fingers(scene, u[:, None], v[:, None], wide, tall, width)

    def _plane(self, middle: Tensor, at: Tensor, scale: Tensor, angle: Tensor) -> tuple[Tensor, Tensor]:
        """The picture's own coordinates (−1 to 1) of each pixel of the view, its face lying at `middle`."""
        c, size = self.chance, len(middle)
        x, y = self.x[:, 0] - middle[:, 0, None, None], self.y[:, 0] - middle[:, 1, None, None]
        tilt = 1 + (x * c.normal(size, 1, 1) + y * c.normal(size, 1, 1)) * 0.1
        cos, sin = torch.cos(angle)[:, None, None], torch.sin(angle)[:, None, None]
        u = (x * cos - y * sin) / scale[:, None, None] / tilt + at[:, 0, None, None]
        v = (x * sin + y * cos) / scale[:, None, None] / tilt + at[:, 1, None, None]
        return u, v

    def _bars(self, shown: Tensor, u: Tensor, v: Tensor, tall: Tensor) -> Tensor:
        """The bars that a player or a gallery shows above and below."""
        c, size = self.chance, len(shown)
        for sign in (-1, 1):
            high = tall[:, None, None, None] - c.uniform(0.03, 0.2, size, 1, 1, 1)
            here = (sign * v > high).float() * c.coin(0.3, size, 1, 1, 1)
            marks = ((u * 11).sin() > 0.9).float() * ((sign * v - high) * 14 % 1 > 0.5).float() * 0.6
            shown = self._over(shown, (c.coin(0.3, size, 1, 1, 1) - marks).abs().expand_as(shown), here)
        return shown

    def _fingers(self, scene: Tensor, u: Tensor, v: Tensor, wide: Tensor, tall: Tensor, width: Tensor) -> Tensor:
        c, size = self.chance, len(scene)
        skin = self.skins[c.whole(len(SKINS), size)][:, :, None, None] ** 2.2 * c.uniform(0.4, 1.3, size, 1, 1, 1)
        held = c.coin(0.7, size, 1, 1, 1)
        for _ in range(5):
            side = torch.where(c.coin(0.5, size, 1, 1, 1) > 0, 1.0, -1.0)
            upright = c.coin(0.7, size, 1, 1, 1)
            x = torch.where(upright > 0, u - side * wide[:, None, None, None], v - tall[:, None, None, None])
            y = torch.where(upright > 0, v, u) - c.uniform(-0.9, 0.9, size, 1, 1, 1)
            long, thick = c.uniform(0.15, 0.6, size, 1, 1, 1), c.uniform(0.07, 0.16, size, 1, 1, 1)
            slope = c.normal(size, 1, 1, 1) * 0.4
            far = torch.sqrt((x / long) ** 2 + ((y + slope * x) / thick) ** 2 + 1e-9)
            shade = (1.1 - 0.5 * far**2).clamp(0.4, 1.1)
            cover = torch.sigmoid((1 - far) * thick / width) * held * c.coin(0.6, size, 1, 1, 1)
            scene = self._over(scene, skin * shade, cover)
        return scene

    def _cut(self, taken: Tensor) -> Tensor:
        """Black beyond the edges of the picture: most pictures are narrower than a view."""
        c, size = self.chance, len(taken)
        axis = torch.linspace(-1, 1, VIEW, device=c.device)
        y, x = axis[None, None, :, None], axis[None, None, None, :]
        for place in (x, -x, y, -y):
            loses = c.uniform(0, 0.5, size, 1, 1, 1) * c.coin(0.45, size, 1, 1, 1)
            taken = taken * (place > loses - 1).float()
        return taken

    @staticmethod
    def _over(below: Tensor, above: Tensor, cover: Tensor) -> Tensor:
        return below * (1 - cover) + above * cover
