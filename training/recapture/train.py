"""Trains the recapture network on simulated pictures: `--kind patches` or `--kind views`. See README.md."""

from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training import loop
from training.recapture.network import RecaptureNetwork
from training.recapture.scenes import Batch, Patches, Views, load_photographs

KINDS: dict[str, type[Patches] | type[Views]] = {"patches": Patches, "views": Views}


def main() -> None:
    ask = loop.options(rate=2e-3)
    ask.add_argument("--kind", choices=KINDS, required=True)
    ask.add_argument("--photographs", type=Path, default=Path("build/recapture/photographs.npz"))
    ask.add_argument("--size", type=int, default=96)
    args = ask.parse_args()
    device = loop.prepared(args)
    photographs = load_photographs(args.photographs, device)
    scenes, judge = KINDS[args.kind](photographs, args.seed), KINDS[args.kind](photographs, args.seed + 1)
    with torch.no_grad():
        held_out = [judge.batch(min(96, args.size)) for _ in range(12 if device.type == "cuda" else 1)]

    def loss_of_a_batch(network: nn.Module) -> tuple[Tensor, int]:
        with torch.no_grad():
            pictures, labels = scenes.batch(args.size)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            found = network(pictures.contiguous(memory_format=torch.channels_last))
        smooth = labels * 0.96 + 0.02
        return F.binary_cross_entropy_with_logits(found.float(), smooth), len(pictures)

    loop.train(
        RecaptureNetwork(),
        args,
        device,
        loss_of_a_batch=loss_of_a_batch,
        measure=partial(_measure, batches=held_out),
        file=f"recapture_{args.kind}.pt",
        samples="pictures",
        memory=0.998,
    )


def _measure(network: nn.Module, batches: list[Batch]) -> str:
    """Share of simulated pictures told right."""
    right = [((network(pictures) > 0) == (labels > 0.5)).float().mean() for pictures, labels in batches]
    return f"right {float(torch.stack(right).mean()):.4f}"


if __name__ == "__main__":
    main()
