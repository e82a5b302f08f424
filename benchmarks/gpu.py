"""What is a GPU worth? The service's own graphs on one thread of onnxruntime, and through PyTorch on a GPU.

    python -m benchmarks.gpu                            # where Truename and PyTorch are installed
    python -m benchmarks.gpu --export FOLDER            # writes the graphs as the service runs them, and stops
    python benchmarks/gpu.py --graphs FOLDER            # measures those; needs no Truename

Needs `torch` (with CUDA), `onnx2torch`, `onnx` and `onnxruntime`. A time is from pictures in memory to results in
memory, per picture, with the way to the GPU and back. MobileFaceNet, the face mesh and the readers of other scripts are
no onnx graphs and are not measured. Nothing here says what onnxruntime's own CUDA provider would take.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

BATCHES: Final = (1, 8, 32)
SHAPES: Final = {
    "document_outline": (3, 224, 320),
    "page_orientation": (3, 224, 224),
    "text_detector": (3, 608, 960),
    "text_recogniser": (3, 48, 320),
    "mrz_zones": (3, 416, 640),
    "mrz_lines": (1, 32, 768),
    "yunet": (3, 480, 640),
    "sface": (3, 112, 112),
    "age": (3, 64, 64),
    "gender": (3, 32, 32),
    "passive_face": (3, 128, 128),
}
"""One picture of each graph, of a size that the service shows it."""
NEWEST_OPSET: Final = 17
"""What onnx2torch knows; none of our graphs uses an operator that a later set changed."""
WARM_UPS: Final = 3
LEAST_SECONDS: Final = 0.7


@dataclass(frozen=True)
class Figure:
    """One graph at one batch, in milliseconds per picture."""

    graph: str
    batch: int
    cpu_ms: float
    gpu_ms: float
    difference: float
    """The greatest one between the outputs of both."""
    largest: float
    """The greatest output."""


def main() -> int:
    """Measure, and print a table; 2 where something is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--export", type=Path, help="write the graphs into this folder, and stop")
    parser.add_argument("--graphs", type=Path, help="measure the graphs of this folder instead of Truename's own")
    parser.add_argument("--only", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.export:
        _export(given.export, given.only)
        return 0
    graphs = {name: _graph(name, given.graphs) for name in given.only}
    try:
        torch, convert = _torch()
    except (ImportError, RuntimeError) as fault:
        print(f"No GPU can be measured here: {fault}. It needs torch with CUDA, and onnx2torch.", file=sys.stderr)
        return 2
    say(
        f"CPU: onnxruntime {onnxruntime.__version__}, one thread. GPU: {torch.cuda.get_device_name()}, "
        f"PyTorch {torch.__version__}, 32-bit floats. Milliseconds per picture."
    )
    say(f"{'graph':<18} {'batch':>5} {'CPU':>9} {'GPU':>9} {'CPU / GPU':>10} {'difference':>11} {'of at most':>11}")
    figures: list[Figure] = []
    for name, graph in graphs.items():
        figures += _measured(torch, convert, name, graph)
    if given.json:
        given.json.write_text(json.dumps([asdict(figure) for figure in figures], indent=2) + "\n")
    return 0


def _torch() -> tuple[ModuleType, Callable[[Any], Any]]:
    """PyTorch that sees a GPU, and the converter; raises ImportError or RuntimeError that says what is missing."""
    import torch
    from onnx2torch import convert

    if not torch.cuda.is_available():
        raise RuntimeError(f"PyTorch {torch.__version__} sees no CUDA device")
    # Results are compared with 32-bit ones: no shorter floats in between.
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True  # the first runs choose the quickest way, as a service's would
    return torch, convert


# ── the graphs ─────────────────────────────────────────────────────────────────────────────────────────────


def _graph(name: str, folder: Path | None) -> bytes:
    if folder is not None:
        return (folder / f"{name}.onnx").read_bytes()
    from truename.vision.document.print.read import without_ideographs
    from truename.vision.face.detect import any_size
    from truename.vision.face.sface import plain
    from truename.vision.models import model, weights
    from truename.vision.runtime import any_number

    prepare = {
        "text_recogniser": without_ideographs,
        "yunet": any_size,
        "sface": plain,
        "document_outline": any_number,
        "mrz_zones": any_number,
        "passive_face": any_number,
    }
    data = weights(model(name))
    return prepare[name](data) if name in prepare else data


def _export(folder: Path, names: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / f"{name}.onnx").write_bytes(_graph(name, None))
        say(f"wrote {folder / name}.onnx")


def _for_torch(data: bytes) -> onnx.ModelProto:
    """The same graph in operators that onnx2torch knows, its constants folded as onnxruntime folds them."""
    model = onnx.load_from_string(data)
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    of_vectors = {node.output[0] for node in model.graph.node if node.op_type in ("MatMul", "Gemm")}
    kept = []
    for node in model.graph.node:
        if node.op_type in ("Cast", "Identity") and node.input[0] in known:
            wanted = next((one.i for one in node.attribute if one.name == "to"), None)
            value = known[node.input[0]]
            kind = value.dtype if wanted is None else onnx.helper.tensor_dtype_to_np_dtype(wanted)
            known[node.output[0]] = value.astype(kind)
        elif node.op_type == "BatchNormalization" and node.input[0] in of_vectors:
            kept += _as_factor_and_sum(node, known)
        else:
            kept.append(_with_its_padding_said(node))
    needed = {name for node in kept for name in node.input}
    inputs = [value for value in model.graph.input if value.name not in known]
    constants = [numpy_helper.from_array(np.ascontiguousarray(known[name]), name) for name in known if name in needed]
    graph = onnx.helper.make_graph(kept, model.graph.name, inputs, list(model.graph.output), constants)
    opset = min(NEWEST_OPSET, next(one.version for one in model.opset_import if one.domain in ("", "ai.onnx")))
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=8)


def _as_factor_and_sum(node: onnx.NodeProto, known: dict[str, np.ndarray]) -> list[onnx.NodeProto]:
    """What normalises vectors, which onnx2torch knows of pictures alone; its two constants are added to the known."""
    scale, shift, mean, variance = (known[name].astype(np.float64) for name in node.input[1:5])
    epsilon = next((one.f for one in node.attribute if one.name == "epsilon"), 1e-5)
    factor = scale / np.sqrt(variance + epsilon)
    scaled, (first, second) = f"{node.output[0]}_scaled", (f"{node.output[0]}_factor", f"{node.output[0]}_sum")
    known |= {first: factor.astype(np.float32), second: (shift - mean * factor).astype(np.float32)}
    return [
        onnx.helper.make_node("Mul", [node.input[0], first], [scaled]),
        onnx.helper.make_node("Add", [scaled, second], [node.output[0]]),
    ]


def _with_its_padding_said(node: onnx.NodeProto) -> onnx.NodeProto:
    """`SAME_UPPER` in numbers, which onnx2torch asks for; our graphs say it of steps of one pixel alone."""
    given = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    if given.get("auto_pad") != b"SAME_UPPER":
        return node
    if set(given.get("strides", [1])) | set(given.get("dilations", [1])) != {1}:
        raise ValueError(f"{node.op_type} {node.name}: SAME_UPPER with wider steps is not known here")
    around = [side - 1 for side in given["kernel_shape"]]
    pads = [side // 2 for side in around] + [side - side // 2 for side in around]
    del given["auto_pad"]
    return onnx.helper.make_node(node.op_type, node.input, node.output, node.name, **(given | {"pads": pads}))


# ── measuring ──────────────────────────────────────────────────────────────────────────────────────────────


def _measured(torch: ModuleType, convert: Callable[[Any], Any], name: str, graph: bytes) -> list[Figure]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    entrance = session.get_inputs()[0].name
    network = convert(_for_torch(graph)).eval().cuda()

    def on_cpu(pictures: Any) -> list[Any]:
        return session.run(None, {entrance: pictures})

    def on_gpu(pictures: Any) -> list[Any]:
        found = network(torch.from_numpy(pictures).cuda())
        return [one.cpu().numpy() for one in (found if isinstance(found, list | tuple) else [found])]

    figures = []
    chance = np.random.default_rng(5)
    for batch in BATCHES:
        pictures = _pictures(name, batch, chance)
        with torch.inference_mode():
            pairs = list(zip(on_cpu(pictures), on_gpu(pictures), strict=True))
            figure = Figure(
                name,
                batch,
                _milliseconds(on_cpu, pictures),
                _milliseconds(on_gpu, pictures),
                max(float(np.abs(one - other).max()) for one, other in pairs),
                max(float(np.abs(one).max()) for one, _ in pairs),
            )
        show(figure)
        figures.append(figure)
    return figures


def _pictures(name: str, batch: int, chance: np.random.Generator) -> Any:
    """Smooth noise in the range that the graph was taught: what networks do with plain noise is far from their work."""
    channels, height, width = SHAPES[name]
    coarse = chance.random((batch, channels, -(-height // 8), -(-width // 8)), np.float32)
    smooth = np.repeat(np.repeat(coarse, 8, axis=2), 8, axis=3)[:, :, :height, :width]
    return np.ascontiguousarray(smooth * 255 if name in ("yunet", "sface", "passive_face") else smooth * 2 - 1)


def _milliseconds(work: Callable[[Any], object], pictures: Any) -> float:
    """Per picture, the median of as many runs as fit into a moment."""
    for _ in range(WARM_UPS):
        work(pictures)
    spent: list[float] = []
    while len(spent) < 3 or sum(spent) < LEAST_SECONDS:
        started = time.perf_counter()
        work(pictures)
        spent.append(time.perf_counter() - started)
    return 1000 * float(np.median(spent)) / len(pictures)


def show(figure: Figure) -> None:
    """One row of the table."""
    say(
        f"{figure.graph:<18} {figure.batch:>5} {figure.cpu_ms:>9.2f} {figure.gpu_ms:>9.3f} "
        f"{figure.cpu_ms / figure.gpu_ms:>10.1f} {figure.difference:>11.1e} {figure.largest:>11.1e}"
    )


def say(words: str) -> None:
    """Print at once: a measurement takes minutes."""
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main())
