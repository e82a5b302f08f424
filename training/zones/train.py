"""Trains the zone finder on invented scenes and writes its weights: see README.md.

Processes invent scenes as fast as they can into a ring in the device's memory, from which batches are drawn, turned by
quarter turns; a scene is seen many times before a new one takes its place.
"""

import multiprocessing
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from training import loop
from training.marking import overlap_loss
from training.zones.network import ZoneFinder
from training.zones.pages import SIDE
from training.zones.scenes import invent

CHUNK = 16
HELD_OUT = 10**9
"""Scenes from this number on are never trained on."""


class Ring:
    """The newest scenes, as bytes on the device."""

    def __init__(self, capacity: int, device: torch.device) -> None:
        self.pictures = torch.empty(capacity, 3, SIDE, SIDE, dtype=torch.uint8, device=device)
        self.marks = torch.empty(capacity, 2, SIDE // 2, SIDE // 2, dtype=torch.uint8, device=device)
        self.held = self.written = 0

    def add(self, pictures: np.ndarray, marks: np.ndarray) -> None:
        for picture, mark in zip(pictures, marks, strict=True):
            at = self.written % len(self.pictures)
            self.pictures[at] = torch.from_numpy(picture).to(self.pictures.device).permute(2, 0, 1)
            self.marks[at] = torch.from_numpy(mark).to(self.marks.device)
            self.written += 1
        self.held = min(self.written, len(self.pictures))

    def batch(self, size: int) -> tuple[Tensor, Tensor]:
        chosen = torch.randint(self.held, (size,), device=self.pictures.device)
        quarters = int(torch.randint(4, (1,)))
        pictures = self.pictures[chosen].float() / 127.5 - 1
        marks = self.marks[chosen].float() / 255
        return torch.rot90(pictures, quarters, (2, 3)), torch.rot90(marks, quarters, (2, 3))

    def take_ready(self, coming: Any) -> None:
        """Take whatever is ready without waiting: the network is never kept waiting for new scenes."""
        while True:
            try:
                self.add(*coming.next(timeout=0))
            except multiprocessing.TimeoutError:
                return


def main() -> None:
    ask = loop.options(rate=2.5e-3)
    ask.add_argument("--size", type=int, default=48)
    ask.add_argument("--processes", type=int, default=max(1, multiprocessing.cpu_count() - 1))
    ask.add_argument("--ring", type=int, default=16000)
    ask.add_argument("--held-out", type=int, default=512)
    args = ask.parse_args()
    device = loop.prepared(args)
    with multiprocessing.get_context("spawn").Pool(args.processes) as pool:
        judged = Ring(args.held_out, device)
        for pictures, marks in pool.imap(_chunk, range(HELD_OUT, HELD_OUT + args.held_out // CHUNK)):
            judged.add(pictures, marks)
        first = args.seed % 10**6 * 1000
        coming: Iterator[tuple[np.ndarray, np.ndarray]] = pool.imap_unordered(_chunk, range(first, first + 10**6))
        ring = Ring(args.ring, device)
        while ring.held < min(args.ring, 40 * CHUNK):
            ring.add(*next(coming))

        def loss_of_a_batch(network: nn.Module) -> tuple[Tensor, int]:
            ring.take_ready(coming)
            pictures, marks = ring.batch(args.size)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                found = network(pictures.contiguous(memory_format=torch.channels_last))
            return overlap_loss(found.float(), marks, 2 + 12 * marks), len(pictures)

        loop.train(
            ZoneFinder(),
            args,
            device,
            loss_of_a_batch=loss_of_a_batch,
            measure=partial(_measure, judged=judged),
            file="zones.pt",
            samples="scenes",
            memory=0.998,
            told_every=250,
        )
        print(f"{ring.written:,} scenes were invented", flush=True)
        pool.terminate()


def _chunk(number: int) -> tuple[np.ndarray, np.ndarray]:
    scenes = [invent(number * CHUNK + index) for index in range(CHUNK)]
    return np.stack([scene.picture for scene in scenes]), np.stack([scene.marks for scene in scenes])


def _measure(network: nn.Module, judged: Ring) -> str:
    """How much of the true lines is marked, how much of what is marked is true, and scenes marked without a zone."""
    recall, precision, empty, false = [], [], 0, 0
    for at in range(0, judged.held, 32):
        pictures = judged.pictures[at : at + 32].float() / 127.5 - 1
        true = judged.marks[at : at + 32, 0] > 127
        mask = torch.sigmoid(network(pictures)[:, 0]) > 0.5
        both, many, found = (mask & true).sum((1, 2)), true.sum((1, 2)), mask.sum((1, 2))
        has = many > 20
        recall.append((both / many.clamp(min=1))[has])
        precision.append((both / found.clamp(min=1))[has])
        empty += int((~has).sum())
        false += int((found[~has] > 60).sum())
    shares = torch.cat(recall)
    whole = float((shares > 0.9).float().mean())
    return (
        f"lines found {float(shares.mean()):.3f}, scenes with nine tenths of them {whole:.3f}, "
        f"precision {float(torch.cat(precision).mean()):.3f}, marked without a zone {false} of {empty}"
    )


if __name__ == "__main__":
    main()
