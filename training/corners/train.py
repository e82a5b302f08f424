"""Trains the outline finder on invented scenes and writes its weights: see README.md."""

import argparse
import copy
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from network import OutlineFinder
from scenes import Scenes
from torch import Tensor


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("--out", type=Path, default=Path("build"))
    ask.add_argument("--minutes", type=float, default=8)
    ask.add_argument("--size", type=int, default=96)
    ask.add_argument("--rate", type=float, default=2.5e-3)
    ask.add_argument("--start", type=Path, help="weights of an earlier run to go on from")
    ask.add_argument("--seed", type=int, default=20261115)
    args = ask.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    scenes, judge = Scenes(device, args.seed), Scenes(device, args.seed + 1)
    held_out = [judge.batch(min(64, args.size)) for _ in range(8 if device.type == "cuda" else 1)]
    network = OutlineFinder().to(device, memory_format=torch.channels_last)
    if args.start:
        network.load_state_dict(torch.load(args.start, map_location=device, weights_only=True))
    averaged = copy.deepcopy(network)
    print(f"{sum(p.numel() for p in network.parameters()):,} weights on {device}", flush=True)
    optimiser = torch.optim.AdamW(network.parameters(), lr=args.rate, weight_decay=1e-2)
    began, step, seen = time.monotonic(), 0, 0
    while (done := (time.monotonic() - began) / (args.minutes * 60)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1.0, (step + 1) / 300) * 0.5 * (1 + np.cos(np.pi * done)) + 1e-5
        with torch.no_grad():
            pictures, marks = scenes.batch(args.size)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            found = network(pictures.contiguous(memory_format=torch.channels_last))
        loss = _loss(found.float(), marks)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        step, seen = step + 1, seen + len(pictures)
        keep = min(0.998, 1 - 1 / (step + 1))
        with torch.no_grad():
            for ours, theirs in zip(averaged.state_dict().values(), network.state_dict().values(), strict=True):
                ours.lerp_(theirs, 1 - keep) if ours.is_floating_point() else ours.copy_(theirs)
        if step % 200 == 0 or step in (1, 5, 20):
            pace = seen / (time.monotonic() - began)
            print(
                f"step {step} scenes {seen:,} done {done:.2f} loss {float(loss.detach()):.4f} {pace:.0f}/s", flush=True
            )
        if step % 1000 == 0:
            print("  held out:", _measure(averaged, held_out), flush=True)
            torch.save(averaged.state_dict(), args.out / "outline.pt")
    print(f"end: step {step}, {seen:,} scenes, held out:", _measure(averaged, held_out), flush=True)
    torch.save(averaged.state_dict(), args.out / "outline.pt")


def _loss(found: Tensor, marks: Tensor) -> Tensor:
    weight = torch.stack(
        [torch.ones_like(marks[:, 0]) + 4 * marks[:, 1], torch.ones_like(marks[:, 0]) + 3 * marks[:, 1]], 1
    )
    plain = (F.binary_cross_entropy_with_logits(found, marks, reduction="none") * weight).mean()
    chance = torch.sigmoid(found)
    overlap = (2 * (chance * marks).sum((2, 3)) + 20) / ((chance + marks).sum((2, 3)) + 20)
    return plain + (1 - overlap).mean()


@torch.no_grad()
def _measure(network: torch.nn.Module, batches: list) -> str:
    """Overlap of the mask alone with the true one: median, and the share above 0.95."""
    network.eval()
    overlaps = []
    for pictures, marks in batches:
        mask = torch.sigmoid(network(pictures)[:, 0]) > 0.5
        true = marks[:, 0] > 0.5
        both, either = (mask & true).sum((1, 2)), (mask | true).sum((1, 2))
        overlaps.append(torch.where(either > 50, both / either.clamp(min=1), torch.ones_like(both, dtype=torch.float)))
    network.train()
    joined = torch.cat(overlaps)
    return f"median overlap {float(joined.median()):.4f}, above 0.95 {float((joined > 0.95).float().mean()):.4f}"


if __name__ == "__main__":
    main()
