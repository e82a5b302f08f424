"""SFace, folded so that onnxruntime runs it, and runs it fast."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from truename.vision import runtime
from truename.vision.face.align import SFACE_SIDE

MODEL: Final = "sface"
NUMBERS: Final = 128
NOTHING: Final = np.zeros((2, 3, SFACE_SIDE, SFACE_SIDE), np.float32)
"""What it is warmed with."""


def network() -> runtime.OnnxModel:
    """The network, ready to run on any number of RGB faces from 0 to 255."""
    return runtime.onnx(MODEL, NOTHING, prepare=plain)


def plain(data: bytes) -> bytes:
    """Fold a block-quantised graph to plain numbers.

    OpenCV Zoo's file names inputs that no longer exist, which onnxruntime refuses. Folded, and with PRelu in terms that
    onnxruntime is quick at, it takes a third of the time that it takes in OpenCV. Half a second once per process, so it
    is not worth a cache that somebody could tamper with.
    """
    import onnx
    from onnx import helper, numpy_helper

    loaded = onnx.load_from_string(data)
    graph = loaded.graph
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    kept = []
    for node in graph.node:
        constant = all(name in known for name in node.input)
        if node.op_type == "DequantizeLinear" and constant:
            options = {one.name: helper.get_attribute_value(one) for one in node.attribute}
            values, scales, zeros = (known[name] for name in node.input)
            known[node.output[0]] = _dequantised(values, scales, zeros, **options)
        elif node.op_type == "Reshape" and constant and node.input[0] != "data":
            known[node.output[0]] = known[node.input[0]].reshape(known[node.input[1]])
        elif node.op_type == "PRelu":
            kept += _quick_prelu(node, known)
        else:
            kept.append(node)
    needed = {name for node in kept for name in node.input}
    inputs = [value for value in graph.input if value.name in needed and value.name not in known]
    for value in [*inputs, *graph.output]:
        value.type.tensor_type.shape.dim[0].dim_param = "faces"
    constants = [numpy_helper.from_array(np.ascontiguousarray(known[name]), name) for name in known if name in needed]
    plain = helper.make_graph(kept, graph.name, inputs, list(graph.output), constants)
    return bytes(helper.make_model(plain, opset_imports=loaded.opset_import, ir_version=10).SerializeToString())


def _quick_prelu(node: Any, known: dict[str, runtime.Array]) -> list[Any]:
    """The same function as relu(x) − a·relu(−x), with both factors as 1×1 convolutions per channel.

    onnxruntime has no fast PRelu and leaves its fast memory layout for each one: 30 ms a face so, 13 ms like this.
    """
    from onnx import helper

    source, target = node.input[0], node.output[0]
    slopes = known[node.input[1]].astype(np.float32).reshape(-1, 1, 1, 1)
    known[f"{target}/minus"], known[f"{target}/slopes"] = -np.ones_like(slopes), -slopes
    channels: dict[str, Any] = {"group": len(slopes), "kernel_shape": [1, 1]}
    return [
        helper.make_node("Relu", [source], [f"{target}/above"]),
        helper.make_node("Conv", [source, f"{target}/minus"], [f"{target}/turned"], **channels),
        helper.make_node("Relu", [f"{target}/turned"], [f"{target}/below"]),
        helper.make_node("Conv", [f"{target}/below", f"{target}/slopes"], [f"{target}/sloped"], **channels),
        helper.make_node("Add", [f"{target}/above", f"{target}/sloped"], [target]),
    ]


def _dequantised(
    values: runtime.Array, scales: runtime.Array, zeros: runtime.Array, axis: int = 1, block_size: int = 0
) -> NDArray[np.float32]:
    if block_size:
        length = values.shape[axis]
        scales = np.repeat(scales, block_size, axis=axis).take(range(length), axis=axis)
        zeros = np.repeat(zeros, block_size, axis=axis).take(range(length), axis=axis)
    return np.asarray((values.astype(np.float32) - zeros.astype(np.float32)) * scales, np.float32)
