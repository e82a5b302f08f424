"""Trains the MRZ line reader on synthetic lines and writes its weights: see README.md."""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training import loop
from training.mrz import texts
from training.mrz.network import LineReader
from training.mrz.render import Atlas, Renderer

BLANK = 37
Group = tuple[Tensor, Tensor]
"""Pictures of lines of one length, and their characters."""


def main() -> None:
    ask = loop.options(rate=3e-3)
    ask.add_argument("--atlas", type=Path, default=Path("build/mrz_atlas.npz"))
    ask.add_argument("--groups", type=int, default=8)
    ask.add_argument("--group-size", type=int, default=96)
    ask.add_argument("--pool", type=int, default=150_000)
    args = ask.parse_args()
    device = loop.prepared(args)
    torch.backends.cudnn.conv.fp32_precision = "tf32"
    renderer, judge = _renderer(args, device, args.seed), _renderer(args, device, args.seed + 1)
    held_out = [judge.group(64) for _ in range(24 if device.type == "cuda" else 2)]

    def loss_of_a_batch(network: nn.Module) -> tuple[Tensor, int]:
        groups = [renderer.group(args.group_size) for _ in range(args.groups)]
        pictures, lengths_in, targets, lengths = _batch(groups)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            scores = network(pictures.contiguous(memory_format=torch.channels_last))
        by_time = scores.float().log_softmax(-1).transpose(0, 1)
        loss = F.ctc_loss(by_time, targets, lengths_in, lengths, blank=BLANK, zero_infinity=True)
        return loss, len(pictures)

    loop.train(
        LineReader(),
        args,
        device,
        loss_of_a_batch=loss_of_a_batch,
        measure=partial(_measure, groups=held_out),
        file="mrz_lines.pt",
        samples="lines",
        memory=0.999,
    )


def _renderer(args: argparse.Namespace, device: torch.device, seed: int) -> Renderer:
    stored = np.load(args.atlas)
    glyphs = torch.from_numpy(stored["glyphs"]).to(device).float() / 255
    glyphs = F.pad(glyphs, (0, 0, 0, 0, 0, 1))
    ocr_b = torch.from_numpy(stored["is_ocr_b"]).to(device)
    atlas = Atlas(glyphs, torch.nonzero(ocr_b)[:, 0], torch.nonzero(~ocr_b)[:, 0])
    pools = {
        n: torch.from_numpy(texts.pool(n, args.pool if seed == args.seed else 4000, seed + n)).to(device)
        for n in texts.LENGTHS
    }
    return Renderer(atlas, pools, seed)


def _batch(groups: list[Group]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    widest = -(-max(pictures.shape[-1] for pictures, _ in groups) // 64) * 64
    pictures = torch.cat([F.pad(p, (0, widest - p.shape[-1])) for p, _ in groups])
    device = pictures.device
    steps = torch.cat([torch.full((len(p),), p.shape[-1] // 4, device=device) for p, _ in groups])
    lengths = torch.cat([torch.full((len(t),), t.shape[1], device=device) for _, t in groups])
    targets = torch.cat([F.pad(t, (0, 44 - t.shape[1])) for _, t in groups])
    return pictures, steps, targets, lengths


def _measure(network: nn.Module, groups: list[Group]) -> str:
    """Share of lines and characters read exactly by the plain best path, without any grammar."""
    right = lines = wrong_characters = characters = 0
    for pictures, truth in groups:
        best = network(pictures).argmax(-1).cpu().numpy()
        for path, target in zip(best, truth.cpu().numpy(), strict=True):
            read = path[np.r_[True, path[1:] != path[:-1]]]
            read = read[read != BLANK]
            right += int(read.shape == target.shape and bool((read == target).all()))
            lines += 1
            if read.shape == target.shape:
                wrong_characters += int((read != target).sum())
            else:
                wrong_characters += abs(len(read) - len(target))
            characters += len(target)
    return f"{right / lines:.4f} of lines, {1 - wrong_characters / characters:.5f} of characters"


if __name__ == "__main__":
    main()
