"""Networks against spoofing that an operator may bring: small ones that say the same of every picture."""

import hashlib
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from truename.vision import configuration
from truename.vision.configuration import VisionConfiguration
from truename.vision.liveness import passive


def a_network(path: Path, live: float, side: int = 80) -> str:
    """An onnx file that always gives the same three logits for a picture of the right shape; answers its sha256."""
    logits = numpy_helper.from_array(np.array([[0.0, live, 0.0]], np.float32), "logits")
    nothing = numpy_helper.from_array(np.zeros(1, np.float32), "nothing")
    graph = helper.make_graph(
        [
            helper.make_node("ReduceMean", ["x"], ["mean"], keepdims=0, axes=[1, 2, 3]),
            helper.make_node("Mul", ["mean", "nothing"], ["zero"]),
            helper.make_node("Add", ["logits", "zero"], ["y"]),
        ],
        "constant",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, side, side])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3])],
        [logits, nothing],
    )
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9).SerializeToString()
    assert onnx.load_from_string(data)
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def bring_networks(
    folder: Path, monkeypatch: pytest.MonkeyPatch, live: float, calibration: bool = True, shipped: float | None = None
) -> None:
    """Two networks that say the same of every picture; `shipped` is what the shipped one weighs beside them."""
    rows = []
    for name in (one.row for one in passive.OPERATORS):
        digest = a_network(folder / f"{name}.onnx", live)
        rows.append(f'[[model]]\nname = "{name}"\npath = "{name}.onnx"\nsha256 = "{digest}"')
        rows.append('calibration = "own.toml"' if calibration else "")
    (folder / "own.toml").write_text(
        "[with_network]\nconstant = 0\nmoire = 0\ngrain = 0\nhighlights = 0\nborder = 0\nglow = 0\n"
        "network = 1\nthreshold = 0\n" + ("" if shipped is None else f"shipped = {shipped}\n")
    )
    (folder / "models.toml").write_text("\n".join(rows))
    monkeypatch.setattr(configuration, "_current", VisionConfiguration(models_file=folder / "models.toml"))
