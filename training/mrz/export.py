"""Writes the trained line reader as one ONNX file: batch norms folded, weights kept in half precision.

The graph computes in single precision (each half-precision weight is cast once, when the session is made).
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from network import LineReader, Residual


class _Graph:
    """Collects the nodes and weights of a convolutional chain."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.count = 0

    def add(self, kind: str, *inputs: str, **attributes: object) -> str:
        self.count += 1
        name = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, values: np.ndarray) -> str:
        self.count += 1
        name = f"w_{self.count}"
        if values.dtype != np.float32:
            self.weights.append(numpy_helper.from_array(values, name))
            return name
        self.weights.append(numpy_helper.from_array(values.astype(np.float16), name))
        return self.add("Cast", name, to=TensorProto.FLOAT)

    def convolution(self, x: str, conv: nn.Conv2d, norm: nn.BatchNorm2d | None) -> str:
        weight, bias = conv.weight.detach(), conv.bias.detach() if conv.bias is not None else torch.zeros(conv.out_channels)
        if norm is not None:
            scale = norm.weight.detach() / torch.sqrt(norm.running_var + norm.eps)
            weight, bias = weight * scale[:, None, None, None], (bias - norm.running_mean) * scale + norm.bias.detach()
        pads = [conv.padding[0], conv.padding[1]] * 2
        return self.add(
            "Conv", x, self.constant(weight.numpy()), self.constant(bias.numpy()),
            kernel_shape=list(conv.kernel_size), strides=list(conv.stride), pads=pads,
        )  # fmt: skip


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("weights", type=Path)
    ask.add_argument("target", type=Path)
    args = ask.parse_args()
    network = LineReader().eval()
    network.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    graph, x = _Graph(), "picture"
    for layer in network.layers:
        if isinstance(layer, Residual):
            y = graph.add("Relu", graph.convolution(x, layer.body[0], layer.body[1]))
            x = graph.add("Relu", graph.add("Add", x, graph.convolution(y, layer.body[3], layer.body[4])))
        elif isinstance(layer, nn.Sequential):
            x = graph.add("Relu", graph.convolution(x, layer[0], layer[1]))
        elif isinstance(layer, nn.Conv2d):
            x = graph.convolution(x, layer, None)
    x = graph.add("Squeeze", x, graph.constant(np.array([2], dtype=np.int64)))
    x = graph.add("Transpose", x, perm=[0, 2, 1])
    x = graph.add("LogSoftmax", x, axis=-1)
    graph.nodes[-1].output[0] = "scores"
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "mrz_lines",
            [helper.make_tensor_value_info("picture", TensorProto.FLOAT, ["lines", 1, 32, "width"])],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["lines", "steps", 38])],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    onnx.checker.check_model(model)
    onnx.save(model, args.target)
    _compare(network, args.target)


def _compare(network: LineReader, target: Path) -> None:
    import onnxruntime

    picture = torch.randn(2, 1, 32, 640)
    with torch.no_grad():
        expected = network(picture).log_softmax(-1).numpy()
    (found,) = onnxruntime.InferenceSession(str(target)).run(None, {"picture": picture.numpy()})
    print(f"{target}: {target.stat().st_size:,} bytes, largest difference {np.abs(found - expected).max():.4f}")


if __name__ == "__main__":
    main()
