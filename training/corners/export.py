"""Writes the trained outline finder as one ONNX file and compares it with the original."""

import argparse
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from graph import Graph
from network import OutlineFinder, Residual


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("weights", type=Path)
    ask.add_argument("target", type=Path)
    args = ask.parse_args()
    network = OutlineFinder().eval()
    network.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
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
        expected = torch.sigmoid(network(picture)).numpy()
    (found,) = onnxruntime.InferenceSession(str(args.target)).run(None, {"picture": picture.numpy()})
    print(
        f"{args.target}: {args.target.stat().st_size:,} bytes, largest difference {np.abs(found - expected).max():.4f}"
    )


if __name__ == "__main__":
    main()
