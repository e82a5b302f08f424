"""What the trainings of our networks share: options, the loop, averaged weights, the comparison after the export.

A recipe brings its network, a function that makes one batch and tells its loss, and one that measures held-out samples.
"""

import argparse
import copy
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import Tensor, nn

WARM_UP_STEPS = 300


def options(rate: float) -> argparse.ArgumentParser:
    """The options of every training; a recipe adds its own."""
    ask = argparse.ArgumentParser()
    ask.add_argument("--out", type=Path, default=Path("build"))
    ask.add_argument("--minutes", type=float, default=8)
    ask.add_argument("--rate", type=float, default=rate)
    ask.add_argument("--start", type=Path, help="weights of an earlier run to go on from")
    ask.add_argument("--seed", type=int, default=20261115)
    return ask


def prepared(args: argparse.Namespace) -> torch.device:
    """Make the folder for the weights, fix the seed, and choose the device."""
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(
    network: nn.Module,
    args: argparse.Namespace,
    device: torch.device,
    *,
    loss_of_a_batch: Callable[[nn.Module], tuple[Tensor, int]],
    measure: Callable[[nn.Module], str],
    file: str,
    samples: str,
    memory: float,
    told_every: int = 100,
) -> None:
    """Train for the given minutes and write the averaged weights to `file` in the folder of the options.

    The rate warms up and falls by a cosine over the time; `memory` is the share of the averaged weights that each
    step keeps; `samples` is what a batch is counted in.
    """
    network = network.to(device, memory_format=torch.channels_last)
    if args.start:
        network.load_state_dict(torch.load(args.start, map_location=device, weights_only=True))
    averaged = copy.deepcopy(network)
    print(f"{sum(p.numel() for p in network.parameters()):,} weights on {device}", flush=True)
    optimiser = torch.optim.AdamW(network.parameters(), lr=args.rate, weight_decay=1e-2)
    began, step, seen = time.monotonic(), 0, 0
    while (done := (time.monotonic() - began) / (args.minutes * 60)) < 1:
        warm = min(1.0, (step + 1) / WARM_UP_STEPS)
        for group in optimiser.param_groups:
            group["lr"] = args.rate * warm * 0.5 * (1 + np.cos(np.pi * done)) + 1e-5
        loss, count = loss_of_a_batch(network)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        step, seen = step + 1, seen + count
        _average(averaged, network, min(memory, 1 - 1 / (step + 1)))
        if step % told_every == 0 or step in (1, 5, 20):
            pace = seen / (time.monotonic() - began)
            told = f"step {step} {samples} {seen:,} done {done:.2f} loss {float(loss.detach()):.4f} {pace:.0f}/s"
            print(told, flush=True)
        if step % 1000 == 0:
            print("  held out:", _measured(averaged, measure), flush=True)
            torch.save(averaged.state_dict(), args.out / file)
    print(f"end: step {step}, {seen:,} {samples}, held out:", _measured(averaged, measure), flush=True)
    torch.save(averaged.state_dict(), args.out / file)


@torch.no_grad()
def _average(averaged: nn.Module, network: nn.Module, keep: float) -> None:
    for ours, theirs in zip(averaged.state_dict().values(), network.state_dict().values(), strict=True):
        ours.lerp_(theirs, 1 - keep) if ours.is_floating_point() else ours.copy_(theirs)


@torch.no_grad()
def _measured(network: nn.Module, measure: Callable[[nn.Module], str]) -> str:
    network.eval()
    told = measure(network)
    network.train()
    return told


def load_trained(network: nn.Module, weights: Path) -> None:
    """Give the network its trained weights, ready to be written out."""
    network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    network.eval()


@torch.no_grad()
def compare(target: Path, picture: Tensor, expected: Tensor) -> None:
    """Tell how far the written ONNX file is from the network that it was made of, on one random picture."""
    (found,) = onnxruntime.InferenceSession(str(target)).run(None, {"picture": picture.numpy()})
    difference = np.abs(found - expected.numpy()).max()
    print(f"{target}: {target.stat().st_size:,} bytes, largest difference {difference:.4f}")
