"""Screens and paper that show a picture, as light that a second camera sees; every one its own."""

import math

import torch
from torch import Tensor

from training.recapture.camera import Chance, blurred, to_light


class Media:
    """Turns a picture that is shown (0 to 1) into light: half of the batch on screens, half on paper."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance

    def shown(self, picture: Tensor, fine: bool = True) -> Tensor:
        """The light of each picture; `fine` draws the pixels of the screen and the dots of the print."""
        size = len(picture)
        paper = self.chance.coin(0.4, size, 1, 1, 1)
        light = paper * self._paper(picture, fine) + (1 - paper) * self._screen(picture, fine)
        return self._glare(light, paper)

    def _places(self, size: int, side: int, low: float, high: float) -> tuple[Tensor, Tensor]:
        """Coordinates of each pixel in units of a grid: its pitch between low and high pixels, turned and tilted."""
        c = self.chance
        axis = torch.arange(side, device=c.device) - side / 2
        y, x = axis[None, :, None], axis[None, None, :]
        pitch = c.log_uniform(low, high, size, 1, 1)
        angle = torch.where(c.coin(0.7, size, 1, 1) > 0, c.normal(size, 1, 1) * 0.05, c.uniform(0, math.pi, size, 1, 1))
        tilt = 1 + (x * c.normal(size, 1, 1) + y * c.normal(size, 1, 1)) * (0.12 / side)
        across = (x * torch.cos(angle) - y * torch.sin(angle)) / pitch * tilt
        down = (x * torch.sin(angle) + y * torch.cos(angle)) / pitch * tilt
        return across[:, None], down[:, None]

    def _screen(self, picture: Tensor, fine: bool) -> Tensor:
        c, size, side = self.chance, len(picture), picture.shape[-1]
        light = picture.clamp(0, 1) ** c.uniform(1.7, 2.7, size, 1, 1, 1)
        light = light * (1 + 0.14 * c.normal(size, 3, 1, 1)).clamp(0.5, 1.6)
        if fine:
            across, down = self._places(size, side, 2.1, 9.0)
            thirds = torch.arange(3, device=c.device)[None, :, None, None] / 3
            order = torch.where(c.coin(0.5, size, 1, 1, 1) > 0, thirds, -thirds)
            # PenTile: every other row is shifted by half a pixel.
            shift = 0.25 * torch.cos(2 * math.pi * (down / 2)) * c.coin(0.35, size, 1, 1, 1)
            phase = 2 * math.pi * (across + order + shift)
            stripes = 1 + c.uniform(0.2, 1.0, size, 1, 1, 1) * (torch.cos(phase) + 0.3 * torch.cos(2 * phase)) / 1.3
            rows = 1 + c.uniform(0.0, 0.7, size, 1, 1, 1) * torch.cos(2 * math.pi * down)
            light = light * stripes * rows
        y = torch.linspace(0, 1, side, device=c.device)[None, None, :, None]
        bands = torch.sin(2 * math.pi * (y * c.uniform(0.5, 9, size, 1, 1, 1) + c.uniform(0, 1, size, 1, 1, 1)))
        light = light * (1 + bands * c.uniform(0, 0.25, size, 1, 1, 1) * c.coin(0.25, size, 1, 1, 1))
        black = c.log_uniform(0.002, 0.08, size, 1, 1, 1) * (1 + 0.15 * c.normal(size, 3, 1, 1))
        return light + black.clamp(min=0)

    def _paper(self, picture: Tensor, fine: bool) -> Tensor:
        c, size, side = self.chance, len(picture), picture.shape[-1]
        light = to_light(picture)
        grey = light.mean(1, keepdim=True)
        light = grey + (light - grey) * c.uniform(0.45, 1.05, size, 1, 1, 1)
        if fine:
            dots = []
            for _ in range(3):
                across, down = self._places(size, side, 2.2, 7.0)
                dots.append(torch.cos(2 * math.pi * across) * torch.cos(2 * math.pi * down))
            screen = torch.cat(dots, 1)
            ink = c.normal(size, 3, side, side)
            halftone = c.coin(0.55, size, 1, 1, 1)
            strength = c.uniform(0.03, 0.5, size, 1, 1, 1)
            pattern = halftone * screen + (1 - halftone) * 0.35 * ink
            # Ink and paper differ most in the middle tones.
            light = light + pattern * strength * (light * (1 - light)).clamp(min=0)
            fibre = blurred(c.normal(size, 1, side, side), c.uniform(0.5, 3, size, 1, 1, 1)) * 0.04
            light = light * (1 + fibre * c.uniform(0, 1.5, size, 1, 1, 1))
        black = c.uniform(0.02, 0.14, size, 1, 1, 1)
        white = c.uniform(0.65, 0.98, size, 1, 1, 1) * (1 + 0.06 * c.normal(size, 3, 1, 1))
        return black + (white - black) * light.clamp(0, 1.1)

    def _glare(self, light: Tensor, paper: Tensor) -> Tensor:
        """Uneven light on paper; what shines in it, or the room mirrored by glass."""
        c, size, side = self.chance, len(light), light.shape[-1]
        uneven = torch.exp(0.35 * c.clouds(size, 1, 3, side) * c.uniform(0, 1, size, 1, 1, 1))
        light = light * (paper * uneven + (1 - paper))
        mirrored = c.clouds(size, 3, 6, side).clamp(min=0) * c.log_uniform(0.005, 0.15, size, 1, 1, 1)
        mirrored = mirrored * c.coin(0.6, size, 1, 1, 1)
        axis = torch.linspace(-1, 1, side, device=c.device)
        y, x = axis[None, None, :, None], axis[None, None, None, :]
        middle = c.uniform(-1.2, 1.2, 2, size, 1, 1, 1)
        reach = c.log_uniform(0.05, 0.6, size, 1, 1, 1)
        spot = torch.exp(-(((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / reach**2))
        spot = spot * c.uniform(0.1, 1.2, size, 1, 1, 1) * c.coin(0.25, size, 1, 1, 1)
        return (light + mirrored + spot).clamp(min=0)
