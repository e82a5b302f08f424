"""Sessions of the models: loaded once per process, when first needed, checked, warmed, and shared by threads."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray
from opentelemetry import trace

from truename.rules.evidence import ModelUsed
from truename.vision.batching import Batches
from truename.vision.configuration import InferenceProvider, configuration
from truename.vision.models import Model, ModelUnavailable, model, weights

Array = NDArray[Any]
Loaded = TypeVar("Loaded")

PROVIDERS: Final = {
    InferenceProvider.CPU: "CPUExecutionProvider",
    InferenceProvider.CUDA: "CUDAExecutionProvider",
}
"""What onnxruntime calls them."""

_tracer: Final = trace.get_tracer("truename.vision")
"""Spans of the models, where the process exports any; elsewhere they are nothing."""
_loaded: dict[tuple[str, str], Any] = {}
_locks: dict[tuple[str, str], threading.Lock] = {}
_guard = threading.Lock()
_noted: ContextVar[dict[str, ModelUsed] | None] = ContextVar("models_noted", default=None)


def once(name: str, load: Callable[[Model], Loaded], variant: str = "") -> Loaded:
    """Load something from a model's row the first time it is asked for, and note that this model was used."""
    row = model(name)
    note(row)
    key = (f"{row.name}:{variant}", row.sha256)
    found = _loaded.get(key)
    if found is None:
        with _guard:
            lock = _locks.setdefault(key, threading.Lock())
        with lock:
            found = _loaded.get(key)
            if found is None:
                found = _loaded[key] = load(row)
    return found


# ── which models saw this ──────────────────────────────────────────────────────────────────────────────────


@contextmanager
def models_used() -> Iterator[dict[str, ModelUsed]]:
    """Collect the models that are used inside the block, by name, for `Evidence.engine`."""
    used: dict[str, ModelUsed] = {}
    token = _noted.set(used)
    try:
        yield used
    finally:
        _noted.reset(token)


def note(row: Model) -> None:
    """Say that a model took part in what is being examined."""
    note_used(ModelUsed(name=row.name, version=row.version, sha256=row.sha256))


def note_used(one: ModelUsed) -> None:
    """The same of what is no network, such as a layout file of the operator's own."""
    used = _noted.get()
    if used is not None:
        used.setdefault(one.name, one)


# ── onnx ───────────────────────────────────────────────────────────────────────────────────────────────────


class OnnxModel:
    """A loaded onnx graph; `run` may be called by several threads at once."""

    def __init__(self, data: bytes, name: str = "onnx") -> None:
        self._name = name
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = configuration().threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # One arena per session would keep the largest picture's memory for ever.
        options.enable_cpu_mem_arena = False
        cv2.setNumThreads(configuration().threads)
        wanted = PROVIDERS[configuration().provider]
        self._session = onnxruntime.InferenceSession(data, options, providers=[wanted])
        if wanted not in self._session.get_providers():
            # onnxruntime only logs that a provider could not be started, and goes on with the CPU.
            raise ModelUnavailable(f"{name}: onnxruntime cannot start {wanted} on this machine; look at its driver.")
        self.inputs = tuple(one.name for one in self._session.get_inputs())
        self.outputs = tuple(one.name for one in self._session.get_outputs())
        together = configuration().batch if self.takes_any_number else 1
        self._batches = Batches(lambda pictures: self._infer(pictures), together) if together > 1 else None

    @property
    def takes_any_number(self) -> bool:
        """May several pictures be given at once, as rows of the one input?"""
        ends = [*self._session.get_inputs(), *self._session.get_outputs()]
        return len(self.inputs) == 1 and not any(isinstance(one.shape[0], int) for one in ends)

    def run(self, *arrays: Array) -> list[Array]:
        """Run the graph on its inputs, in their order; with those of other threads, where that is configured."""
        with _tracer.start_as_current_span(f"model {self._name}"):
            return self._infer(*arrays) if self._batches is None else self._batches.run(*arrays)

    def _infer(self, *arrays: Array) -> list[Array]:
        return self._session.run(None, dict(zip(self.inputs, arrays, strict=True)))  # type: ignore[no-any-return]

    def metadata(self) -> Mapping[str, str]:
        """The key-value pairs stored in the file."""
        return dict(self._session.get_modelmeta().custom_metadata_map)


def onnx(name: str, *warm_with: Array, prepare: Callable[[bytes], bytes] | None = None, variant: str = "") -> OnnxModel:
    """The session of an onnx row, run once on `warm_with` when it is loaded.

    `prepare` rewrites the graph before it is loaded (after its hash was checked); one row that is prepared in more than
    one way has a `variant` for each other way.
    """

    def load(row: Model) -> OnnxModel:
        data = weights(row)
        try:
            loaded = OnnxModel(prepare(data) if prepare else data, row.name)
            if warm_with:
                loaded.run(*warm_with)
        except ModelUnavailable:
            raise
        except Exception as fault:  # onnxruntime raises classes of its own for every kind of bad graph
            raise ModelUnavailable(f"{row.name}: onnxruntime cannot run it ({fault}).") from fault
        return loaded

    return once(name, load, variant)


def check_provider() -> None:
    """Raise ModelUnavailable where this onnxruntime was not built for what is configured."""
    chosen = configuration().provider
    if PROVIDERS[chosen] not in (offered := onnxruntime.get_available_providers()):
        raise ModelUnavailable(
            f"TRUENAME_VISION_PROVIDER={chosen} needs {PROVIDERS[chosen]}, and the installed onnxruntime offers only "
            f"{', '.join(offered)}: install `onnxruntime-gpu` in place of `onnxruntime`, or set it to cpu."
        )


def any_number(data: bytes) -> bytes:
    """Let a graph that was written down for one picture take several: for convolutions that is all there is to it."""
    import onnx as format

    loaded = format.load_from_string(data)
    for value in [*loaded.graph.input, *loaded.graph.output]:
        value.type.tensor_type.shape.dim[0].dim_param = "pictures"
    return bytes(loaded.SerializeToString())


# ── tflite ─────────────────────────────────────────────────────────────────────────────────────────────────


class TfliteModel:
    """A loaded tflite graph; an interpreter holds state, so calls wait for each other."""

    def __init__(self, data: bytes, name: str = "tflite") -> None:
        from ai_edge_litert.interpreter import Interpreter

        self._name = name
        self._interpreter = Interpreter(model_content=data, num_threads=configuration().threads)
        self._interpreter.allocate_tensors()
        self._input = self._interpreter.get_input_details()[0]
        self._outputs = self._interpreter.get_output_details()
        self._lock = threading.Lock()
        self.input_shape = tuple(int(side) for side in self._input["shape"])
        self.run(np.zeros(self.input_shape, np.float32))

    def run(self, array: Array) -> list[Array]:
        """Run the graph on one input; outputs in the graph's order."""
        with self._lock, _tracer.start_as_current_span(f"model {self._name}"):
            self._interpreter.set_tensor(self._input["index"], np.ascontiguousarray(array, dtype=np.float32))
            self._interpreter.invoke()
            return [self._interpreter.get_tensor(output["index"]) for output in self._outputs]


def tflite(name: str, part: str | None = None) -> TfliteModel:
    """The interpreter of a tflite row, or of one part of a row that is a zip (a MediaPipe `.task`)."""

    def load(row: Model) -> TfliteModel:
        data = weights(row)
        try:
            return TfliteModel(member(data, part) if part else data, part or row.name)
        except Exception as fault:  # litert raises RuntimeError, ValueError and its own
            raise ModelUnavailable(f"{row.name}: litert cannot run it ({fault}).") from fault

    return once(name, load, variant=part or "")


def member(data: bytes, name: str) -> bytes:
    """One file of a model that is a zip."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        return bundle.read(name)
