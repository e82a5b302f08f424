"""Writes a trained recapture network as one ONNX file and compares it with the original."""

import argparse
from pathlib import Path

import torch

from training import loop
from training.graph import Graph
from training.marking import Residual
from training.recapture.network import RecaptureNetwork


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("weights", type=Path)
    ask.add_argument("target", type=Path)
    args = ask.parse_args()
    network = RecaptureNetwork()
    loop.load_trained(network, args.weights)
    graph, x = Graph(), "picture"
    for layer in network.layers:
        if isinstance(layer, Residual):
            y = graph.add("Relu", graph.convolution(x, layer.first[0], layer.first[1]))
            x = graph.add("Relu", graph.add("Add", x, graph.convolution(y, layer.second[0], layer.second[1])))
        else:
            x = graph.add("Relu", graph.convolution(x, layer[0], layer[1]))
    graph.add("Flatten", graph.convolution(graph.add("GlobalAveragePool", x), network.head))
    graph.nodes[-1].output[0] = "recaptured"
    graph.save("recapture", args.target, [("picture", ["n", 3, "side", "side"])], [("recaptured", ["n", 1])])
    picture = torch.randn(2, 3, 112, 112)
    with torch.no_grad():
        expected = network(picture)[:, None]
    loop.compare(args.target, picture, expected)


if __name__ == "__main__":
    main()
