"""Pictures of several transactions in one run of a graph.

Nobody waits for company: a call that finds the graph at rest is run at once, and those that come meanwhile are run
together afterwards. A GPU takes hardly longer for eight pictures than for one; a core takes eight times as long.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Infer = Callable[[Array], list[Array]]
"""Runs the graph on rows of pictures; each output has a row for each of them."""


@dataclass(eq=False)
class _Call:
    pictures: Array
    outputs: list[Array] = field(default_factory=list)
    fault: Exception | None = None
    done: bool = False


class Batches:
    """The calls of many threads for one graph."""

    def __init__(self, infer: Infer, most: int) -> None:
        self._infer = infer
        self._most = most
        self._waiting: list[_Call] = []
        self._busy = False
        self._changed = threading.Condition()

    def run(self, pictures: Array) -> list[Array]:
        """Run the graph on these rows, and on those of other threads that are of the same size.

        Raises what the graph raises on these rows; what it raises on others' is theirs alone.
        """
        call = _Call(pictures)
        with self._changed:
            self._waiting.append(call)
        while (together := self._next(call)) is not None:
            try:
                self._run_together(together)
            finally:
                with self._changed:
                    # A thread that is stopped in the middle leaves the others' calls to the next one.
                    self._waiting = [one for one in together if not one.done] + self._waiting
                    self._busy = False
                    self._changed.notify_all()
        if call.fault is not None:
            raise call.fault
        return call.outputs

    def _next(self, own: _Call) -> list[_Call] | None:
        """The calls that this thread is to run now: the oldest and those that fit it; None once its own was run."""
        with self._changed:
            while self._busy and not own.done:
                self._changed.wait()
            if own.done:
                return None
            self._busy = True
            chosen: list[_Call] = []
            for call in self._waiting:
                fits = not chosen or call.pictures.shape[1:] == chosen[0].pictures.shape[1:]
                room = not chosen or sum(len(one.pictures) for one in [*chosen, call]) <= self._most
                if fits and room:
                    chosen.append(call)
            self._waiting = [call for call in self._waiting if call not in chosen]
            return chosen

    def _run_together(self, calls: Sequence[_Call]) -> None:
        try:
            outputs = self._infer(np.concatenate([call.pictures for call in calls]))
            ends = np.cumsum([len(call.pictures) for call in calls])
            for call, end in zip(calls, ends, strict=True):
                call.outputs = [rows[end - len(call.pictures) : end] for rows in outputs]
                call.done = True
        except Exception as fault:
            if len(calls) == 1:
                calls[0].fault, calls[0].done = fault, True
                return
            for call in calls:
                self._run_together([call])
