"""The line reader: a small convolutional network that names a character, or nothing, for every four columns."""

import torch
from torch import Tensor, nn


class Residual(nn.Module):
    def __init__(self, width: int, kernel: tuple[int, int] = (3, 3)) -> None:
        super().__init__()
        same = (kernel[0] // 2, kernel[1] // 2)
        self.body = nn.Sequential(
            nn.Conv2d(width, width, kernel, padding=same, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, kernel, padding=same, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.body(x))


def step(
    before: int, after: int, kernel: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int]
) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(before, after, kernel, stride, padding, bias=False), nn.BatchNorm2d(after), nn.ReLU()
    )


class LineReader(nn.Module):
    """Size × 1 × 32 × width → size × (width / 4) × 38 scores; the last is "nothing" (CTC's blank)."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            step(1, 32, (5, 5), (2, 2), (2, 2)),
            Residual(32),
            step(32, 48, (3, 3), (2, 2), (1, 1)),
            Residual(48),
            Residual(48),
            step(48, 72, (3, 3), (2, 1), (1, 1)),
            Residual(72),
            Residual(72),
            step(72, 96, (3, 3), (2, 1), (1, 1)),
            Residual(96),
            step(96, 112, (2, 3), (1, 1), (0, 1)),
            Residual(112, (1, 3)),
            nn.Dropout(0.1),
            nn.Conv2d(112, 38, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x).squeeze(2).transpose(1, 2)
