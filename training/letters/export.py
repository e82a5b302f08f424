"""Writes the trained reader of letters as one ONNX file, with what its outputs stand for, and compares it."""

import argparse
from pathlib import Path

import numpy as np
import torch

from training import loop
from training.graph import Graph
from training.letters.alphabets import outputs
from training.letters.network import LetterReader
from training.mrz.export import added


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("weights", type=Path)
    ask.add_argument("target", type=Path)
    args = ask.parse_args()
    count = len(outputs()) + 1
    network = LetterReader(count)
    loop.load_trained(network, args.weights)
    graph = Graph()
    x = added(graph, network.layers, "picture")
    x = graph.add("Squeeze", x, graph.constant(np.array([2], dtype=np.int64)))
    graph.add("Transpose", x, perm=[0, 2, 1])
    graph.nodes[-1].output[0] = "scores"
    shapes = [("picture", ["lines", 1, 48, "width"])], [("scores", ["lines", "steps", count])]
    graph.save("print_letters", args.target, *shapes, letters=outputs())
    picture = torch.randn(2, 1, 48, 320)
    with torch.no_grad():
        expected = network(picture)
    loop.compare(args.target, picture, expected)


if __name__ == "__main__":
    main()
