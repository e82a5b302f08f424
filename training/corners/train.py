"""Trains the outline finder on invented scenes and writes its weights: see README.md."""

from functools import partial

import torch
from torch import Tensor, nn

from training import loop
from training.corners.network import OutlineFinder
from training.corners.scenes import Scenes
from training.marking import overlap_loss

Batch = tuple[Tensor, Tensor]
"""Pictures, and the marks of document and border in them."""


def main() -> None:
    ask = loop.options(rate=2.5e-3)
    ask.add_argument("--size", type=int, default=96)
    args = ask.parse_args()
    device = loop.prepared(args)
    scenes, judge = Scenes(device, args.seed), Scenes(device, args.seed + 1)
    held_out = [judge.batch(min(64, args.size)) for _ in range(8 if device.type == "cuda" else 1)]

    def loss_of_a_batch(network: nn.Module) -> tuple[Tensor, int]:
        with torch.no_grad():
            pictures, marks = scenes.batch(args.size)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            found = network(pictures.contiguous(memory_format=torch.channels_last))
        return _loss(found.float(), marks), len(pictures)

    loop.train(
        OutlineFinder(),
        args,
        device,
        loss_of_a_batch=loss_of_a_batch,
        measure=partial(_measure, batches=held_out),
        file="outline.pt",
        samples="scenes",
        memory=0.998,
        told_every=200,
    )


def _loss(found: Tensor, marks: Tensor) -> Tensor:
    weight = torch.stack(
        [torch.ones_like(marks[:, 0]) + 4 * marks[:, 1], torch.ones_like(marks[:, 0]) + 3 * marks[:, 1]], 1
    )
    return overlap_loss(found, marks, weight)


def _measure(network: nn.Module, batches: list[Batch]) -> str:
    """Overlap of the mask alone with the true one: median, and the share above 0.95."""
    overlaps = []
    for pictures, marks in batches:
        mask = torch.sigmoid(network(pictures)[:, 0]) > 0.5
        true = marks[:, 0] > 0.5
        both, either = (mask & true).sum((1, 2)), (mask | true).sum((1, 2))
        overlaps.append(torch.where(either > 50, both / either.clamp(min=1), torch.ones_like(both, dtype=torch.float)))
    joined = torch.cat(overlaps)
    return f"median overlap {float(joined.median()):.4f}, above 0.95 {float((joined > 0.95).float().mean()):.4f}"


if __name__ == "__main__":
    main()
