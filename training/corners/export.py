"""Writes the trained outline finder as one ONNX file and compares it with the original."""

import argparse
from pathlib import Path

import torch

from training import loop
from training.corners.network import OutlineFinder, Residual
from training.graph import Graph


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("weights", type=Path)
    ask.add_argument("target", type=Path)
    args = ask.parse_args()
    network = OutlineFinder()
    loop.load_trained(network, args.weights)
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
    graph.save(
        "outline",
        args.target,
        [("picture", [1, 3, "height", "width"])],
        [("marks", [1, 2, "half_height", "half_width"])],
    )
    picture = torch.randn(1, 3, 320, 256)
    with torch.no_grad():
        expected = torch.sigmoid(network(picture))
    loop.compare(args.target, picture, expected)


if __name__ == "__main__":
    main()
