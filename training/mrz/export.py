"""Writes the trained line reader as one ONNX file and compares it with the original."""

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn

from training import loop
from training.graph import Graph
from training.mrz.network import LineReader, Residual


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("weights", type=Path)
    ask.add_argument("target", type=Path)
    args = ask.parse_args()
    network = LineReader()
    loop.load_trained(network, args.weights)
    graph = Graph()
    x = added(graph, network.layers, "picture")
    x = graph.add("Squeeze", x, graph.constant(np.array([2], dtype=np.int64)))
    x = graph.add("LogSoftmax", graph.add("Transpose", x, perm=[0, 2, 1]), axis=-1)
    graph.nodes[-1].output[0] = "scores"
    graph.save("mrz_lines", args.target, [("picture", ["lines", 1, 32, "width"])], [("scores", ["lines", "steps", 38])])
    picture = torch.randn(2, 1, 32, 640)
    with torch.no_grad():
        expected = network(picture).log_softmax(-1)
    loop.compare(args.target, picture, expected)


def added(graph: Graph, layers: nn.Sequential, x: str) -> str:
    """Add the layers of a line reader behind `x`; what comes out of the last."""
    for layer in layers:
        if isinstance(layer, Residual):
            y = graph.add("Relu", graph.convolution(x, layer.body[0], layer.body[1]))
            x = graph.add("Relu", graph.add("Add", x, graph.convolution(y, layer.body[3], layer.body[4])))
        elif isinstance(layer, nn.Sequential):
            x = graph.add("Relu", graph.convolution(x, layer[0], layer[1]))
        elif isinstance(layer, nn.Conv2d):
            x = graph.convolution(x, layer)
    return x


if __name__ == "__main__":
    main()
