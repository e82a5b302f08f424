"""Pictures of several transactions share a run of a graph, and on what a graph runs is the operator's choice."""

import threading
from collections.abc import Callable
from functools import partial

import numpy as np
import onnxruntime
import pytest

from tests.support.waiting import within
from truename.plumbing.settings import SettingsError, load_settings
from truename.vision import models, runtime
from truename.vision.batching import Array, Batches
from truename.vision.configuration import InferenceProvider, VisionConfiguration, configuration, configured
from truename.vision.document.page.corners import find_corners
from truename.vision.document.print.read import recognise
from truename.vision.face.detect import any_size, detect_faces
from truename.vision.models import ModelUnavailable
from truename.wiring import configure_vision, damaged_files


class Doubling:
    """A graph that doubles, notes how many rows came at once, and takes its time over the first run."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.first_has_begun, self.may_go_on = threading.Event(), threading.Event()

    def __call__(self, rows: Array) -> list[Array]:
        self.sizes.append(len(rows))
        if len(self.sizes) == 1:
            self.first_has_begun.set()
            assert self.may_go_on.wait(20)
        if (rows < 0).any():
            raise ValueError("a picture that no graph can look at")
        return [rows * 2, rows.sum(axis=tuple(range(1, rows.ndim)))]


def beside_each_other(calls: list[Callable[[], object]], graph: Doubling, batches: Batches) -> list[object]:
    """What each call answers or raises: the first is under way while the others come."""
    answers: list[object] = [None] * len(calls)

    def answer(place: int) -> None:
        try:
            answers[place] = calls[place]()
        except ValueError as fault:
            answers[place] = fault

    threads = [threading.Thread(target=answer, args=(place,)) for place in range(len(calls))]
    threads[0].start()
    assert graph.first_has_begun.wait(20)
    for thread in threads[1:]:
        thread.start()
    within(20, lambda: len(batches._waiting) == len(calls) - 1)
    graph.may_go_on.set()
    for thread in threads:
        thread.join(20)
    return answers


def rows(*values: float, width: int = 3) -> Array:
    return np.array([[value] * width for value in values], np.float32)


def test_calls_that_come_while_the_graph_runs_are_run_together_and_each_gets_its_own_rows():
    graph = Doubling()
    batches = Batches(graph, 8)
    given = [rows(1), rows(2, 3), rows(4), rows(5)]
    answers = beside_each_other([partial(batches.run, one) for one in given], graph, batches)
    assert graph.sizes == [1, 4]
    for one, answer in zip(given, answers, strict=True):
        assert isinstance(answer, list)
        doubled, sums = answer
        assert (doubled == one * 2).all()
        assert (sums == one.sum(1)).all()


def test_pictures_of_another_size_and_more_than_the_limit_wait_for_the_next_run():
    graph = Doubling()
    batches = Batches(graph, 2)
    given = [rows(1), rows(2), rows(3), rows(4), rows(5, width=7)]
    answers = beside_each_other([partial(batches.run, one) for one in given], graph, batches)
    assert sorted(graph.sizes) == [1, 1, 1, 2]
    assert all(
        isinstance(answer, list) and (answer[0] == one * 2).all() for one, answer in zip(given, answers, strict=True)
    )


def test_a_picture_that_breaks_the_graph_breaks_nobody_elses_run():
    graph = Doubling()
    batches = Batches(graph, 8)
    given = [rows(1), rows(2), rows(-1), rows(3)]
    answers = beside_each_other([partial(batches.run, one) for one in given], graph, batches)
    assert [isinstance(answer, ValueError) for answer in answers] == [False, False, True, False]
    assert (batches.run(rows(9))[0] == 18).all(), "the graph goes on"


def test_a_real_graph_says_the_same_of_a_picture_alone_and_among_others():
    data = any_size(models.weights(models.model("yunet")))
    with configured(VisionConfiguration(batch=8)):
        together = runtime.OnnxModel(data, "yunet")
    alone = runtime.OnnxModel(data, "yunet")
    pictures = np.random.default_rng(3).uniform(0, 255, (6, 1, 3, 64, 96)).astype(np.float32)
    found: dict[int, list[Array]] = {}
    threads = [
        threading.Thread(target=lambda place=place: found.__setitem__(place, together.run(pictures[place])))
        for place in range(len(pictures))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    for place, picture in enumerate(pictures):
        for one, other in zip(found[place], alone.run(picture), strict=True):
            assert one.shape == other.shape
            assert np.allclose(one, other, atol=1e-4)


def test_the_graphs_of_documents_and_faces_take_any_number_of_pictures():
    picture = np.full((240, 320, 3), 128, np.uint8)
    detect_faces(picture, persistent=False)
    find_corners(picture)
    recognise([picture[:48]])
    loaded = [runtime.onnx(name) for name in ("yunet", "document_outline", "text_recogniser", "age", "gender")]
    assert all(graph.takes_any_number for graph in loaded)


# ── on what graphs run ─────────────────────────────────────────────────────────────────────────────────────


def test_a_graph_runs_on_the_cpu_unless_another_provider_is_set():
    assert configuration().provider is InferenceProvider.CPU
    runtime.check_provider()


@pytest.mark.skipif(
    "CUDAExecutionProvider" in onnxruntime.get_available_providers(), reason="this onnxruntime has CUDA"
)
def test_a_provider_that_onnxruntime_was_not_built_for_is_refused_with_what_to_do():
    with configured(configuration()):
        configure_vision(load_settings(vision_provider="cuda"))
        with pytest.raises(ModelUnavailable, match="install `onnxruntime-gpu` in place of `onnxruntime`"):
            runtime.check_provider()
        with pytest.raises(ModelUnavailable, match="cannot start CUDAExecutionProvider"):
            runtime.OnnxModel(models.weights(models.model("gender")), "gender")
        assert any("TRUENAME_VISION_PROVIDER=cuda" in sentence for sentence in damaged_files())


def test_a_provider_that_nobody_knows_is_refused_by_the_settings():
    with pytest.raises(SettingsError, match=r"TRUENAME_VISION_PROVIDER.*'cpu' or 'cuda'"):
        load_settings(vision_provider="abacus")
