"""The outline finder: a small U-shaped network that marks the pixels of the document and of its border."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

WIDTHS = (20, 40, 64, 96, 128)
UP = (72, 56, 36, 20)


def step(before: int, after: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = step(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(self.first(x)))


class OutlineFinder(nn.Module):
    """RGB from −1 to 1, with sides that 32 divides → document and border at half the size, before the sigmoid."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList()
        before = 3
        for level, width in enumerate(WIDTHS):
            layers: list[nn.Module] = [step(before, width, 2)]
            layers += [Residual(width) for _ in range((0, 1, 2, 2, 1)[level])]
            self.down.append(nn.Sequential(*layers))
            before = width
        self.up = nn.ModuleList()
        for width, beside in zip(UP, reversed(WIDTHS[:-1]), strict=True):
            self.up.append(step(before + beside, width))
            before = width
        self.head = nn.Conv2d(before, 2, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        kept = []
        for layer in self.down:
            x = layer(x)
            kept.append(x)
        for layer, beside in zip(self.up, reversed(kept[:-1]), strict=True):
            x = layer(torch.cat([F.interpolate(x, scale_factor=2, mode="nearest"), beside], 1))
        return self.head(x)
