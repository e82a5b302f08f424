"""A small U-shaped network that marks pixels of a picture, and how it is written out: two recipes of ours use it."""

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training import loop
from training.graph import Graph


def step(before: int, after: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = step(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(self.first(x)))


class MarkingNetwork(nn.Module):
    """RGB from −1 to 1, with sides that 32 divides → two marks at half the size, before the sigmoid.

    `widths` and `depths` are the channels and residual blocks of each level downwards, `up` the channels upwards.
    """

    def __init__(self, widths: tuple[int, ...], depths: tuple[int, ...], up: tuple[int, ...]) -> None:
        super().__init__()
        self.down = nn.ModuleList()
        before = 3
        for width, depth in zip(widths, depths, strict=True):
            self.down.append(nn.Sequential(step(before, width, 2), *(Residual(width) for _ in range(depth))))
            before = width
        self.up = nn.ModuleList()
        for width, beside in zip(up, reversed(widths[:-1]), strict=True):
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


def write(network: MarkingNetwork, target: Path, name: str) -> None:
    """Write the trained network as one ONNX file with the sigmoid at its end, and compare it with the original."""
    graph, x, kept = Graph(), "picture", []
    for level in network.down:
        for layer in level:
            if isinstance(layer, Residual):
                y = graph.add("Relu", graph.convolution(x, layer.first[0], layer.first[1]))
                x = graph.add("Relu", graph.add("Add", x, graph.convolution(y, layer.second[0], layer.second[1])))
            else:
                x = graph.add("Relu", graph.convolution(x, layer[0], layer[1]))
        kept.append(x)
    for layer, beside in zip(network.up, reversed(kept[:-1]), strict=True):
        x = graph.add("Concat", graph.doubled(x), beside, axis=1)
        x = graph.add("Relu", graph.convolution(x, layer[0], layer[1]))
    graph.add("Sigmoid", graph.convolution(x, network.head))
    graph.nodes[-1].output[0] = "marks"
    graph.save(name, target, [("picture", [1, 3, "height", "width"])], [("marks", [1, 2, "half_height", "half_width"])])
    picture = torch.randn(1, 3, 320, 256)
    with torch.no_grad():
        expected = torch.sigmoid(network(picture))
    loop.compare(target, picture, expected)


def overlap_loss(found: Tensor, marks: Tensor, weight: Tensor) -> Tensor:
    """Weighted cross-entropy of every pixel, and how little the marks overlap the true ones as a whole."""
    plain = (F.binary_cross_entropy_with_logits(found, marks, reduction="none") * weight).mean()
    chance = torch.sigmoid(found)
    overlap = (2 * (chance * marks).sum((2, 3)) + 20) / ((chance + marks).sum((2, 3)) + 20)
    return plain + (1 - overlap).mean()
