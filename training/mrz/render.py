"""Sets lines of text and photographs them, a batch at a time, on whatever device the tensors live on.

Everything random is drawn per group (length, resolution, pitch) or per line (font, ink, geometry, light).
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from training.mrz.texts import BLANK_CELL, LENGTHS

INPUT_HEIGHT = 32
_PITCH, _HEIGHT, _BASELINE = 40, 72, 54
_CAPITAL = 31.0
"""About how tall a capital stands in the atlas."""


@dataclass
class Atlas:
    glyphs: Tensor
    """Font × (alphabet + an empty cell) × height × pitch, 1 is ink."""
    ocr_b: Tensor
    others: Tensor


class Photographer:
    """Chance on a device, and what a camera makes of ink on a page."""

    def __init__(self, device: torch.device, seed: int) -> None:
        self.device = device
        self.chance = torch.Generator(device=device).manual_seed(seed)
        self.coin = torch.Generator().manual_seed(seed)

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(*shape, generator=self.chance, device=self.device) * (high - low) + low

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.chance, device=self.device)

    def draw(self, low: float, high: float) -> float:
        return float(torch.rand(1, generator=self.coin)) * (high - low) + low

    def pick(self, count: int) -> int:
        return int(torch.randint(count, (1,), generator=self.coin))

    def photograph(self, ink: Tensor, resolution: float) -> Tensor:
        """Ink on a security background, lit unevenly, blurred, noisy and compressed; 0 to 255.

        The fewer pixels a character has, the milder the harm, or nothing readable would be left to learn from.
        """
        harm = min(1.0, max(0.12, (resolution - 4) / 10))
        size, _, height, width = ink.shape
        one = (size, 1, 1, 1)
        x = torch.arange(width, device=self.device).view(1, 1, 1, -1)
        y = torch.arange(height, device=self.device).view(1, 1, -1, 1)
        paper = self.uniform(120, 250, *one)
        pattern = torch.zeros(size, 1, height, width, device=self.device)
        for _ in range(3):
            bend = self.uniform(0, 4, *one) * torch.sin(
                x * self.uniform(0.01, 0.2, *one) + y * self.uniform(-0.4, 0.4, *one)
            )
            wave = torch.sin(x * self.uniform(-1.5, 1.5, *one) + y * self.uniform(-1.5, 1.5, *one) + bend)
            pattern = pattern + wave * self.uniform(0, 5 + 11 * harm, *one) * (self.uniform(0, 1, *one) < 0.6)
        cloth = F.interpolate(
            self.normal(size, 1, 3, max(4, width // 20)), (height, width), mode="bicubic", align_corners=False
        )
        pattern = pattern + cloth * self.uniform(0, 14, *one)
        light = (
            1 + (x / width - 0.5) * self.uniform(-0.5, 0.5, *one) + (y / height - 0.5) * self.uniform(-0.25, 0.25, *one)
        )
        contrast = self.uniform(0.55 - 0.25 * harm, 1.0, *one)
        dark = self.uniform(0, 70, *one)
        page = paper + pattern
        for _ in range(2):
            page = page - self._stroke(x, y, size, width, height) * self.uniform(10, 90, *one)
        picture = page * (1 - ink * contrast) + dark * ink * contrast
        picture = picture * light + self._glare(x, y, size, width, height)
        picture = blur(picture, self.draw(0.3, 0.4 + 0.8 * harm)) if self.draw(0, 1) < 0.6 else picture
        if self.draw(0, 1) < 0.2 * harm:
            picture = F.avg_pool2d(F.pad(picture, (1, 1, 0, 0), mode="replicate"), (1, 3), 1)
        if self.draw(0, 1) < 0.2:
            picture = picture + (picture - blur(picture, 1.0)) * self.uniform(0.3, 1.6, *one)
        picture = picture + self.normal(size, 1, height, width) * self.uniform(0, 1, *one) ** 2 * (3 + 15 * harm)
        picture = picture.clamp(0, 255)
        return jpeg(picture, self.draw(1, 6 + 36 * harm)) if self.draw(0, 1) < 0.65 else picture

    def _stroke(self, x: Tensor, y: Tensor, size: int, width: int, height: int) -> Tensor:
        one = (size, 1, 1, 1)
        angle = self.uniform(0, math.pi, *one)
        far = (x - self.uniform(0, width, *one)) * torch.cos(angle) + (y - self.uniform(0, height, *one)) * torch.sin(
            angle
        )
        drawn = torch.exp(-((far / self.uniform(0.4, 3, *one)) ** 2))
        return drawn * (self.uniform(0, 1, *one) < 0.15)

    def _glare(self, x: Tensor, y: Tensor, size: int, width: int, height: int) -> Tensor:
        one = (size, 1, 1, 1)
        far = ((x - self.uniform(0, width, *one)) / (width * self.uniform(0.03, 0.3, *one))) ** 2
        far = far + ((y - self.uniform(0, height, *one)) / (height * self.uniform(0.3, 2, *one))) ** 2
        return torch.exp(-far) * self.uniform(20, 130, *one) * (self.uniform(0, 1, *one) < 0.15)


class Renderer(Photographer):
    """Makes batches of line pictures with their texts."""

    def __init__(self, atlas: Atlas, pools: dict[int, Tensor], seed: int) -> None:
        super().__init__(atlas.glyphs.device, seed)
        self.atlas, self.pools = atlas, pools

    def group(self, size: int) -> tuple[Tensor, Tensor]:
        """Pictures (size × 1 × 32 × width, normalised) and their texts (size × length)."""
        length = LENGTHS[self.pick(3)]
        texts, rows = self._texts(size, length)
        cell = 34 + self.pick(14)
        canvas, middle = self._canvas(rows, cell)
        pitch_out = self.draw(14.5, 27)
        resolution = min(math.exp(self.draw(math.log(5.0), math.log(26))), pitch_out * 1.3)
        picture = self.photograph(self._geometry(canvas, middle, cell, length, pitch_out, resolution), resolution)
        width = round((length + 2.4) * pitch_out / 4) * 4
        mode = ("bilinear", "bicubic")[self.pick(2)]
        picture = F.interpolate(
            picture, (INPUT_HEIGHT, width), mode=mode, align_corners=False, antialias=resolution > pitch_out
        )
        return normalise(picture), texts

    def _texts(self, size: int, length: int) -> tuple[Tensor, Tensor]:
        chosen = torch.randint(len(self.pools[length]), (size, 3), generator=self.chance, device=self.device)
        rows = self.pools[length][chosen]
        swapped = self.uniform(0, 1, size, 3, length) < (self.uniform(0, 1, size, 3, 1) < 0.3) * 0.25
        rows = torch.where(swapped, torch.randint(37, rows.shape, generator=self.chance, device=self.device), rows)
        texts = rows[:, 1].clone()
        gone = self.uniform(0, 1, size, 3, 1) < torch.tensor([0.5, 0.0, 0.5], device=self.device)[None, :, None]
        return texts, torch.where(gone, BLANK_CELL, rows)

    def _canvas(self, rows: Tensor, cell: int) -> tuple[Tensor, float]:
        """The ink of three lines at the atlas's own size, with two empty cells at both ends."""
        size, _, length = rows.shape
        wrong_font = self.uniform(0, 1, size) < 0.3
        ocr_b = self.atlas.ocr_b[
            torch.randint(len(self.atlas.ocr_b), (size,), generator=self.chance, device=self.device)
        ]
        other = self.atlas.others[
            torch.randint(len(self.atlas.others), (size,), generator=self.chance, device=self.device)
        ]
        font = torch.where(wrong_font, other, ocr_b)
        tiles = self.atlas.glyphs[font[:, None, None], rows]
        tiles = F.pad(tiles, ((cell - _PITCH) // 2, cell - _PITCH - (cell - _PITCH) // 2))
        strips = tiles.permute(0, 1, 3, 2, 4).reshape(size, 3, _HEIGHT, length * cell)
        strips = F.pad(strips, (2 * cell, 2 * cell))
        spacing = int(self.draw(50, 115))
        canvas = torch.zeros(size, 1, _HEIGHT + 2 * spacing, strips.shape[-1], device=self.device)
        for row in range(3):
            part = canvas[:, 0, row * spacing : row * spacing + _HEIGHT]
            torch.maximum(part, strips[:, row], out=part)
        softened = blur(canvas, self.draw(0.8, 2.2))
        threshold = self.uniform(0.22, 0.68, size, 1, 1, 1)
        ink = ((softened - threshold) * 4 + 0.5).clamp(0, 1)
        worn = F.interpolate(self.normal(size, 1, 24, canvas.shape[-1] // 6), ink.shape[-2:], mode="bilinear")
        worn = 1 - (worn * 0.5 - self.uniform(0.3, 1.2, size, 1, 1, 1)).clamp(0, 0.7)
        return ink * worn, spacing + _BASELINE - _CAPITAL / 2

    def _geometry(
        self, canvas: Tensor, middle: float, cell: int, length: int, pitch_out: float, resolution: float
    ) -> Tensor:
        """The line's surroundings cut out at camera resolution, with the small errors a line finder makes."""
        size, _, height, width = canvas.shape
        scale = resolution / cell
        if scale < 1:
            small = (max(8, round(height * scale)), round(width * scale))
            canvas = F.interpolate(canvas, small, mode="bilinear", antialias=True, align_corners=False)
        high, wide = max(6, round(INPUT_HEIGHT / pitch_out * resolution)), round((length + 2.4) * resolution)
        y, x = torch.meshgrid(
            torch.linspace(-0.5, 0.5, high, device=self.device),
            torch.linspace(-0.5, 0.5, wide, device=self.device),
            indexing="ij",
        )
        one = (size, 1, 1)
        stretch = self.uniform(1.0, 1.12, *one)
        perspective = self.uniform(-0.1, 0.1, *one)
        along = x * (length + 2.4) * cell * stretch * (1 + perspective * (x + 0.5) - perspective / 2)
        along = along + self.uniform(-0.5, 0.5, *one) * cell
        capital_share = self.uniform(0.42, 0.70, *one)
        across = y * (_CAPITAL / capital_share) * (1 + perspective * x)
        along = along + across * self.uniform(-0.16, 0.16, *one)
        slope = self.uniform(-7, 7, *one) * x + self.uniform(-3, 3, *one) * (4 * x * x - 0.3)
        wave = self.uniform(0, 1.5, *one) * torch.sin(x * self.uniform(3, 25, *one) + self.uniform(0, 6.3, *one))
        across = across + slope + wave + self.uniform(-4, 4, *one)
        grid = torch.stack([along / (width / 2), (across + middle - height / 2) / (height / 2)], -1)
        return F.grid_sample(canvas, grid, mode="bilinear", padding_mode="zeros", align_corners=False)


def normalise(picture: Tensor) -> Tensor:
    """Mean 0, spread 1 for each line; the reader does the same."""
    mean = picture.mean((-1, -2), keepdim=True)
    return (picture - mean) / (picture.std((-1, -2), keepdim=True) + 4)


def blur(picture: Tensor, sigma: float) -> Tensor:
    reach = max(1, math.ceil(2.5 * sigma))
    taps = torch.exp(
        -(torch.arange(-reach, reach + 1, device=picture.device, dtype=picture.dtype) ** 2) / (2 * sigma**2)
    )
    taps = taps / taps.sum()
    picture = F.conv2d(F.pad(picture, (0, 0, reach, reach), mode="replicate"), taps.view(1, 1, -1, 1))
    return F.conv2d(F.pad(picture, (reach, reach, 0, 0), mode="replicate"), taps.view(1, 1, 1, -1))


def jpeg(picture: Tensor, coarse: float) -> Tensor:
    """What JPEG's 8 × 8 quantisation leaves of a grey picture; `coarse` scales the quantisation steps."""
    size, _, height, width = picture.shape
    padded = F.pad(picture, (0, -width % 8, 0, -height % 8), mode="replicate") - 128
    high, wide = padded.shape[-2:]
    index = torch.arange(8, device=picture.device, dtype=picture.dtype)
    basis = torch.cos((2 * index[None] + 1) * index[:, None] * math.pi / 16) * 0.5
    basis[0] /= math.sqrt(2)
    blocks = padded.view(size, high // 8, 8, wide // 8, 8).permute(0, 1, 3, 2, 4)
    steps = 1 + coarse * (0.35 + (index[:, None] + index[None]) / 7)
    levels = basis @ blocks @ basis.T
    blocks = basis.T @ (torch.round(levels / steps) * steps) @ basis
    return (blocks.permute(0, 1, 3, 2, 4).reshape(size, 1, high, wide)[..., :height, :width] + 128).clamp(0, 255)
