"""A camera, simulated on whatever device the tensors live on: lens, sensor, development, JPEG; no two alike."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


class Chance:
    """Random numbers of one generator, on one device."""

    def __init__(self, device: torch.device, seed: int) -> None:
        self.device = device
        self.generator = torch.Generator(device=device).manual_seed(seed)

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(*shape, generator=self.generator, device=self.device) * (high - low) + low

    def log_uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return torch.exp(self.uniform(math.log(low), math.log(high), *shape))

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, generator=self.generator, device=self.device)

    def coin(self, chance: float, *shape: int) -> Tensor:
        return (torch.rand(*shape, generator=self.generator, device=self.device) < chance).float()

    def whole(self, below: int, *shape: int) -> Tensor:
        return torch.randint(0, below, shape, generator=self.generator, device=self.device)

    def clouds(self, size: int, channels: int, cells: int, side: int) -> Tensor:
        """Smooth noise about 0."""
        coarse = self.normal(size, channels, cells, cells)
        return F.interpolate(coarse, size=(side, side), mode="bicubic", align_corners=False)


def blurred(x: Tensor, sigma: Tensor, along: Tensor | None = None) -> Tensor:
    """Gaussian blur, by its own sigma in pixels (size × 1 × 1 × 1); `along` is a motion (size × 2, pixels) on top."""
    side = x.shape[-1]
    fy = torch.fft.fftfreq(x.shape[-2], device=x.device)[:, None]
    fx = torch.fft.rfftfreq(side, device=x.device)[None]
    passes = torch.exp(-2 * math.pi**2 * sigma**2 * (fy**2 + fx**2))
    if along is not None:
        passes = passes * torch.sinc(along[:, 0, None, None, None] * fx + along[:, 1, None, None, None] * fy)
    return torch.fft.irfft2(torch.fft.rfft2(x) * passes, s=x.shape[-2:])


def to_light(picture: Tensor) -> Tensor:
    return picture.clamp(0, 1) ** 2.2


class Camera:
    """Takes photographs: light, twice as fine as the sensor, comes in; pixels from 0 to 1 go out."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.dct = _dct(chance.device)
        self.tables = _tables(chance.device)

    def take(self, light: Tensor, worst: int = 45) -> Tensor:
        """Lens, sensor, development, JPEG of a quality between `worst` and 98."""
        return self.jpeg(self.develop(self._sensor(self._lens(light))), worst)

    def _lens(self, light: Tensor) -> Tensor:
        c, size = self.chance, len(light)
        moved = c.normal(size, 2) * 2.5 * c.coin(0.3, size, 1)
        soft = c.log_uniform(0.7, 2.4, size, 1, 1, 1) * (1 + 1.2 * c.coin(0.12, size, 1, 1, 1))
        return F.avg_pool2d(blurred(light, soft, moved), 2).clamp(min=0)

    def _sensor(self, light: Tensor) -> Tensor:
        """Exposure, noise, and colours interpolated from one per pixel."""
        c, size = self.chance, len(light)
        exposed = light / light.mean((1, 2, 3), keepdim=True).clamp(min=0.02) * c.log_uniform(0.1, 0.42, size, 1, 1, 1)
        cast = 1 + 0.12 * c.normal(size, 3, 1, 1)
        exposed = exposed * cast.clamp(0.6, 1.5)
        shot, read = c.log_uniform(2e-5, 4e-3, size, 1, 1, 1), c.log_uniform(1e-4, 8e-3, size, 1, 1, 1)
        noisy = exposed + torch.sqrt(shot * exposed + read**2) * c.normal(*exposed.shape)
        bayer = c.coin(0.75, size, 1, 1, 1)
        seen = bayer * _demosaiced(noisy) + (1 - bayer) * noisy
        smooth = blurred(seen, c.log_uniform(0.6, 2.0, size, 1, 1, 1))
        strength = c.log_uniform(0.004, 0.1, size, 1, 1, 1)
        flat = torch.exp(-(((seen - smooth).mean(1, keepdim=True) / strength) ** 2))
        kept = c.uniform(0, 1, size, 1, 1, 1) * c.coin(0.65, size, 1, 1, 1)
        return seen * (1 - flat * kept) + smooth * flat * kept

    def develop(self, raw: Tensor) -> Tensor:
        """Colours, tone curve, sharpening."""
        c, size = self.chance, len(raw)
        grey = raw.mean(1, keepdim=True)
        coloured = grey + (raw - grey) * c.uniform(0.6, 1.5, size, 1, 1, 1)
        toned = coloured.clamp(0, 1) ** (1 / c.uniform(1.8, 2.6, size, 1, 1, 1))
        curve = c.uniform(0, 0.7, size, 1, 1, 1)
        toned = toned * (1 - curve) + curve * (toned * toned * (3 - 2 * toned))
        fine = toned - blurred(toned, c.uniform(0.6, 1.6, size, 1, 1, 1))
        return (toned + fine * c.uniform(0, 1.6, size, 1, 1, 1) * c.coin(0.7, size, 1, 1, 1)).clamp(0, 1)

    def jpeg(self, picture: Tensor, worst: int = 45) -> Tensor:
        """Compress and open again; sides that 16 divides."""
        c, (size, _, height, width) = self.chance, picture.shape
        quality = c.uniform(worst, 98, size, 1, 1, 1, 1)
        scale = torch.where(quality < 50, 50 / quality, 2 - quality / 50)
        red, green, blue = picture.unbind(1)
        bright = 0.299 * red + 0.587 * green + 0.114 * blue
        colours = torch.stack([(blue - bright) * 0.564, (red - bright) * 0.713], 1)
        bright = self._quantised(bright[:, None], scale, self.tables[0])
        small = self._quantised(F.avg_pool2d(colours, 2), scale, self.tables[1])
        blues, reds = F.interpolate(small, size=(height, width), mode="bilinear", align_corners=False).unbind(1)
        bright = bright[:, 0]
        red, blue = bright + reds / 0.713, bright + blues / 0.564
        green = (bright - 0.299 * red - 0.114 * blue) / 0.587
        opened = torch.stack([red, green, blue], 1)
        return (torch.round(opened.clamp(0, 1) * 255) / 255).float()

    def _quantised(self, x: Tensor, scale: Tensor, table: Tensor) -> Tensor:
        size, channels, height, width = x.shape
        blocks = x.reshape(size, channels, height // 8, 8, width // 8, 8).permute(0, 1, 2, 4, 3, 5) * 255
        waves = self.dct @ blocks @ self.dct.T
        steps = torch.clamp(table * scale[..., None], min=1)
        back = self.dct.T @ (torch.round(waves / steps) * steps) @ self.dct / 255
        return back.permute(0, 1, 2, 4, 3, 5).reshape(size, channels, height, width)


def _demosaiced(x: Tensor) -> Tensor:
    """What is left of three colours when each pixel measured one (RGGB), interpolated linearly."""
    height, width = x.shape[-2:]
    row, column = torch.arange(height, device=x.device)[:, None], torch.arange(width, device=x.device)[None]
    red = ((row % 2 == 0) & (column % 2 == 0)).float()
    blue = ((row % 2 == 1) & (column % 2 == 1)).float()
    masks = torch.stack([red, 1 - red - blue, blue])[None]
    near = torch.tensor([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]], device=x.device)[None, None].repeat(3, 1, 1, 1)
    total = F.conv2d(x * masks, near, padding=1, groups=3)
    share = F.conv2d(masks, near, padding=1, groups=3)
    return torch.where(masks > 0, x, total / share)


def _dct(device: torch.device) -> Tensor:
    k = torch.arange(8.0, device=device)
    waves = torch.cos(math.pi * (2 * k[None] + 1) * k[:, None] / 16) * 0.5
    waves[0] /= math.sqrt(2)
    return waves


def _tables(device: torch.device) -> tuple[Tensor, Tensor]:
    """Steps that grow with the frequency, near those of the JPEG standard."""
    u, v = torch.meshgrid(torch.arange(8.0, device=device), torch.arange(8.0, device=device), indexing="ij")
    return (10 + 1.1 * (u + v) + 0.95 * (u**2 + v**2)).clamp(max=120), (17 + 9 * (u + v) + 1.5 * u * v).clamp(max=99)
