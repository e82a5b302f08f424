"""The reader of letters: a convolutional network that names a letter, or nothing, for every four columns."""

import torch
from torch import Tensor, nn

from training.mrz.network import Residual, step


class LetterReader(nn.Module):
    """Size × 1 × 48 × width → size × (width / 4) × letters; the first is "nothing" (CTC's blank)."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            step(1, 32, (5, 5), (2, 2), (2, 2)),
            Residual(32),
            step(32, 64, (3, 3), (2, 2), (1, 1)),
            Residual(64),
            Residual(64),
            step(64, 96, (3, 3), (2, 1), (1, 1)),
            Residual(96),
            Residual(96),
            step(96, 144, (3, 3), (2, 1), (1, 1)),
            Residual(144),
            step(144, 192, (3, 3), (1, 1), (0, 1)),
            Residual(192, (1, 5)),
            nn.Dropout(0.1),
            nn.Conv2d(192, letters, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x).squeeze(2).transpose(1, 2)


def masked(scores: Tensor, allowed: Tensor) -> Tensor:
    """The scores as logarithms of chances among the letters that a line's script has (size × letters)."""
    return scores.float().masked_fill(~allowed[:, None], torch.finfo(torch.float32).min).log_softmax(-1)
