"""Builds an ONNX graph of convolutions by hand: batch norms folded, weights kept in half precision.

The graph computes in single precision: each half-precision weight is cast once, when the session is made.
"""

from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn


class Graph:
    """Collects the nodes and weights of a network."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.count = 0

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        self.count += 1
        name = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, values: np.ndarray, exact: bool = False) -> str:
        self.count += 1
        name = f"w_{self.count}"
        if exact or values.dtype != np.float32:
            self.weights.append(numpy_helper.from_array(values, name))
            return name
        self.weights.append(numpy_helper.from_array(values.astype(np.float16), name))
        return self.add("Cast", name, to=TensorProto.FLOAT)

    def convolution(self, x: str, conv: nn.Conv2d, norm: nn.BatchNorm2d | None = None) -> str:
        weight = conv.weight.detach()
        bias = conv.bias.detach() if conv.bias is not None else torch.zeros(conv.out_channels)
        if norm is not None:
            scale = norm.weight.detach() / torch.sqrt(norm.running_var + norm.eps)
            weight = weight * scale[:, None, None, None]
            bias = (bias - norm.running_mean) * scale + norm.bias.detach()
        return self.add(
            "Conv",
            x,
            self.constant(weight.numpy()),
            self.constant(bias.numpy()),
            kernel_shape=list(conv.kernel_size),
            strides=list(conv.stride),
            pads=[conv.padding[0], conv.padding[1]] * 2,
        )

    def doubled(self, x: str) -> str:
        """Twice as high and wide, nearest neighbour."""
        scales = self.constant(np.array([1, 1, 2, 2], np.float32), exact=True)
        return self.add(
            "Resize", x, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"
        )

    def save(self, name: str, target: object, inputs: list, outputs: list, letters: str = "") -> None:
        """Write the model; `inputs` and `outputs` are (name, shape) pairs, `letters` what its outputs stand for."""
        described = [
            [helper.make_tensor_value_info(key, TensorProto.FLOAT, shape) for key, shape in pairs]
            for pairs in (inputs, outputs)
        ]
        model = helper.make_model(
            helper.make_graph(self.nodes, name, described[0], described[1], self.weights),
            opset_imports=[helper.make_opsetid("", 17)],
            ir_version=9,
        )
        if letters:
            helper.set_model_props(model, {"letters": letters})
        onnx.checker.check_model(model)
        onnx.save(model, str(target))
