"""Trains the MRZ line reader on synthetic lines and writes its weights: see README.md."""

import argparse
import copy
import time
from pathlib import Path

import numpy as np
import texts
import torch
import torch.nn.functional as F
from network import LineReader
from render import Atlas, Renderer

BLANK = 37


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("--atlas", type=Path, default=Path("build/mrz_atlas.npz"))
    ask.add_argument("--out", type=Path, default=Path("build"))
    ask.add_argument("--minutes", type=float, default=8)
    ask.add_argument("--groups", type=int, default=8)
    ask.add_argument("--group-size", type=int, default=96)
    ask.add_argument("--pool", type=int, default=150_000)
    ask.add_argument("--rate", type=float, default=3e-3)
    ask.add_argument("--start", type=Path, help="weights of an earlier run to go on from")
    ask.add_argument("--seed", type=int, default=20261115)
    args = ask.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cudnn.conv.fp32_precision = "tf32"
    renderer, judge = _renderer(args, device, args.seed), _renderer(args, device, args.seed + 1)
    held_out = [judge.group(64) for _ in range(24 if device.type == "cuda" else 2)]

    network = LineReader().to(device, memory_format=torch.channels_last)
    if args.start:
        network.load_state_dict(torch.load(args.start, map_location=device, weights_only=True))
    averaged = copy.deepcopy(network)
    print(f"{sum(p.numel() for p in network.parameters()):,} weights on {device}", flush=True)
    optimiser = torch.optim.AdamW(network.parameters(), lr=args.rate, weight_decay=1e-2)
    began, step, seen = time.monotonic(), 0, 0
    while (done := (time.monotonic() - began) / (args.minutes * 60)) < 1:
        warm = min(1.0, (step + 1) / 300)
        for group in optimiser.param_groups:
            group["lr"] = args.rate * warm * 0.5 * (1 + np.cos(np.pi * done)) + 1e-5
        groups = [renderer.group(args.group_size) for _ in range(args.groups)]
        pictures, lengths_in, targets, lengths = _batch(groups)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            scores = network(pictures.contiguous(memory_format=torch.channels_last))
        loss = F.ctc_loss(
            scores.float().log_softmax(-1).transpose(0, 1),
            targets,
            lengths_in,
            lengths,
            blank=BLANK,
            zero_infinity=True,
        )
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        step, seen = step + 1, seen + len(pictures)
        keep = min(0.999, 1 - 1 / (step + 1))
        with torch.no_grad():
            for ours, theirs in zip(averaged.state_dict().values(), network.state_dict().values(), strict=True):
                ours.lerp_(theirs, 1 - keep) if ours.is_floating_point() else ours.copy_(theirs)
        if step % 100 == 0 or step in (1, 5, 20):
            pace = seen / (time.monotonic() - began)
            print(
                f"step {step} lines {seen:,} done {done:.2f} loss {float(loss.detach()):.4f} {pace:.0f}/s", flush=True
            )
        if step % 1000 == 0:
            print("  held out:", _measure(averaged, held_out), flush=True)
            torch.save(averaged.state_dict(), args.out / "mrz_lines.pt")
    print(f"end: step {step}, {seen:,} lines, held out:", _measure(averaged, held_out), flush=True)
    torch.save(averaged.state_dict(), args.out / "mrz_lines.pt")


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


def _batch(groups: list) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    widest = -(-max(pictures.shape[-1] for pictures, _ in groups) // 64) * 64
    pictures = torch.cat([F.pad(p, (0, widest - p.shape[-1])) for p, _ in groups])
    device = pictures.device
    steps = torch.cat([torch.full((len(p),), p.shape[-1] // 4, device=device) for p, _ in groups])
    lengths = torch.cat([torch.full((len(t),), t.shape[1], device=device) for _, t in groups])
    targets = torch.cat([F.pad(t, (0, 44 - t.shape[1])) for _, t in groups])
    return pictures, steps, targets, lengths


@torch.no_grad()
def _measure(network: torch.nn.Module, groups: list) -> str:
    """Share of lines and characters read exactly by the plain best path, without any grammar."""
    network.eval()
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
    network.train()
    return f"{right / lines:.4f} of lines, {1 - wrong_characters / characters:.5f} of characters"


if __name__ == "__main__":
    main()
