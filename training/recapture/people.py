"""Heads with shoulders, drawn: ellipses, shading and noise, no two alike. No photograph of a person is behind them."""

import torch
from torch import Tensor

from training.recapture.camera import Chance

SKINS = ((0.90, 0.72, 0.60), (0.78, 0.57, 0.44), (0.62, 0.43, 0.32), (0.42, 0.28, 0.20), (0.95, 0.80, 0.72))


class People:
    """Draws people into backgrounds; all coordinates have the middle of the face at 0 and its half width at 1."""

    def __init__(self, chance: Chance, side: int) -> None:
        self.chance = chance
        axis = torch.linspace(-1, 1, side, device=chance.device)
        self.y, self.x = axis[None, None, :, None], axis[None, None, None, :]
        self.skins = torch.tensor(SKINS, device=chance.device)
        self.side = side

    def drawn(self, ground: Tensor, middle: Tensor, half: Tensor, cloth: Tensor) -> Tensor:
        """The person before the ground (size × 3 × side × side); `middle` (size × 2) and `half` face width in −1…1."""
        c, size = self.chance, len(ground)
        lean = c.normal(size, 1, 1, 1) * 0.12
        x = (self.x - middle[:, 0, None, None, None]) / half[:, None, None, None]
        y = (self.y - middle[:, 1, None, None, None]) / half[:, None, None, None]
        x = x + lean * y
        soft = 0.5 * 2 / self.side / half[:, None, None, None]
        skin = self.skins[c.whole(len(SKINS), size)] * c.uniform(0.8, 1.1, size, 1)
        skin = (skin + 0.03 * c.normal(size, 3)).clamp(0.08, 1)[:, :, None, None]
        hair = (c.uniform(0.02, 0.25, size, 1) + 0.08 * c.normal(size, 3) * c.coin(0.4, size, 1)).clamp(0.01, 0.7)
        hair = hair[:, :, None, None] * torch.exp(0.35 * c.clouds(size, 1, 48, self.side))
        turn = c.normal(size, 1, 1, 1) * 0.22
        light = c.normal(size, 2, 1, 1) * 0.22
        shade = 1 + light[:, :1] * x + light[:, 1:] * y + 0.05 * c.clouds(size, 1, 20, self.side)
        tall = c.uniform(1.25, 1.45, size, 1, 1, 1)
        scene = ground
        long = c.coin(0.4, size, 1, 1, 1)
        back = self._disc(x, y + 0.35 - 0.5 * long, 1.18, tall * (1.05 + 0.35 * long), soft)
        scene = _over(scene, hair, back * c.coin(0.85, size, 1, 1, 1))
        wide = c.uniform(2.0, 2.8, size, 1, 1, 1)
        body = self._disc(x, y - 3.6, wide, 2.0 + c.uniform(-0.1, 0.2, size, 1, 1, 1), soft)
        body = torch.maximum(body, ((x.abs() < wide) & (y > 3.6)).float())
        scene = _over(scene, cloth * shade.clamp(0.5, 1.5), body)
        neck = (
            torch.sigmoid((0.62 - x.abs()) / soft) * torch.sigmoid((y - 0.5) / soft) * torch.sigmoid((2.1 - y) / soft)
        )
        scene = _over(scene, skin * 0.8 * shade.clamp(0.4, 1.5), neck)
        round_ = (1 - 0.28 * ((x - turn * 0.6) ** 2).clamp(max=1.2) - 0.12 * (y / tall) ** 2) * shade
        rosy = 1 + 0.06 * c.clouds(size, 3, 7, self.side)
        scene = _over(scene, skin * round_.clamp(0.25, 1.6) * rosy, self._disc(x, y, 1.0, tall, soft))
        scene = self._features(scene, x - turn, y, soft, hair)
        fringe = self._disc(x, y + tall * 0.95, 1.05, c.uniform(0.35, 0.8, size, 1, 1, 1), soft)
        scene = _over(scene, hair, fringe * c.coin(0.8, size, 1, 1, 1))
        beard = self._disc(x - turn, y - 0.95, 0.75, 0.55, soft * 6) * c.coin(0.25, size, 1, 1, 1)
        return _over(scene, hair, beard * c.uniform(0.2, 0.8, size, 1, 1, 1)).clamp(0, 1)

    def _features(self, scene: Tensor, x: Tensor, y: Tensor, soft: Tensor, hair: Tensor) -> Tensor:
        c, size = self.chance, len(scene)
        apart, high = c.uniform(0.36, 0.46, size, 1, 1, 1), c.uniform(0.12, 0.28, size, 1, 1, 1)
        white, dark = torch.tensor(0.75, device=c.device), c.uniform(0.02, 0.2, size, 3, 1, 1)
        open_ = c.uniform(0.05, 0.11, size, 1, 1, 1)
        glasses = c.coin(0.25, size, 1, 1, 1)
        for sign in (-1, 1):
            dx = x - sign * apart
            scene = _over(scene, scene * 0.75, self._disc(dx, y + high, 0.3, 0.22, soft * 8))
            scene = _over(scene, white, self._disc(dx, y + high, 0.17, open_, soft))
            scene = _over(scene, dark, self._disc(dx, y + high, 0.085, open_, soft))
            scene = _over(scene, hair, self._disc(dx, y + high + 0.26 + 0.15 * dx**2, 0.24, 0.045, soft * 2))
            rim = (self._disc(dx, y + high, 0.33, 0.27, soft) - self._disc(dx, y + high, 0.29, 0.23, soft)).clamp(0, 1)
            scene = _over(scene, dark * 0.5, rim * glasses)
        nose = self._disc(x, y - 0.25, 0.2, 0.12, soft * 4)
        scene = _over(scene, scene * 0.72, nose)
        scene = _over(scene, (scene * 1.15).clamp(max=1), self._disc(x - 0.03, y + 0.0, 0.07, 0.35, soft * 6))
        lips = scene * torch.tensor([0.9, 0.6, 0.6], device=c.device)[None, :, None, None]
        scene = _over(scene, lips, self._disc(x, y - 0.68, 0.3, c.uniform(0.06, 0.13, size, 1, 1, 1), soft))
        return _over(scene, scene * 0.45, self._disc(x, y - 0.68, 0.27, 0.015, soft))

    @staticmethod
    def _disc(x: Tensor, y: Tensor, wide: float | Tensor, tall: float | Tensor, soft: Tensor) -> Tensor:
        far = torch.sqrt((x / wide) ** 2 + (y / tall) ** 2 + 1e-9)
        small = torch.minimum(torch.as_tensor(wide, device=x.device), torch.as_tensor(tall, device=x.device))
        return torch.sigmoid((1 - far) * small / (0.6 * soft))


def _over(below: Tensor, colour: Tensor, cover: Tensor) -> Tensor:
    return below * (1 - cover) + colour * cover
