"""Trains the reader of letters on drawn lines and writes its weights: see README.md."""

from functools import partial
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training import loop
from training.letters.alphabets import SCRIPTS, outputs
from training.letters.network import LetterReader, masked
from training.letters.render import Batch, LetterRenderer


def main() -> None:
    ask = loop.options(rate=2.5e-3)
    ask.add_argument("--atlas", type=Path, default=Path("build/letters_atlas.npz"))
    ask.add_argument("--groups", type=int, default=8)
    ask.add_argument("--group-size", type=int, default=96)
    ask.add_argument("--pool", type=int, default=400_000)
    args = ask.parse_args()
    device = loop.prepared(args)
    torch.backends.cudnn.conv.fp32_precision = "tf32"
    stored = dict(np.load(args.atlas))
    renderer = LetterRenderer(stored, device, args.seed, args.pool, held_out=False)
    judge = LetterRenderer(stored, device, args.seed + 100, 20_000, held_out=True)
    count = 6 if device.type == "cuda" else 1
    held_out = {script: [judge.group(64, script) for _ in range(count)] for script in SCRIPTS}

    def loss_of_a_batch(network: nn.Module) -> tuple[Tensor, int]:
        batch = _joined([renderer.group(args.group_size) for _ in range(args.groups)])
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            scores = network(batch.pictures.contiguous(memory_format=torch.channels_last))
        by_time = masked(scores, batch.allowed).transpose(0, 1)
        steps = torch.full((len(batch.pictures),), by_time.shape[0], device=device)
        loss = F.ctc_loss(by_time, batch.letters, steps, batch.lengths, blank=0, zero_infinity=True)
        return loss, len(batch.pictures)

    loop.train(
        LetterReader(len(outputs()) + 1),
        args,
        device,
        loss_of_a_batch=loss_of_a_batch,
        measure=partial(_measure, groups=held_out),
        file="print_letters.pt",
        samples="lines",
        memory=0.999,
    )


def _joined(groups: list[Batch]) -> Batch:
    widest = -(-max(group.pictures.shape[-1] for group in groups) // 64) * 64
    return Batch(
        torch.cat([F.pad(group.pictures, (0, widest - group.pictures.shape[-1])) for group in groups]),
        torch.cat([group.letters for group in groups]),
        torch.cat([group.lengths for group in groups]),
        torch.cat([group.allowed for group in groups]),
    )


def _measure(network: nn.Module, groups: dict[str, list[Batch]]) -> str:
    """For each script the share of lines that are right to the letter, in typefaces that were never learnt."""
    told = []
    for script, batches in groups.items():
        right = lines = 0
        for batch in batches:
            best = masked(network(batch.pictures), batch.allowed).argmax(-1).cpu().numpy()
            for path, target, length in zip(best, batch.letters.cpu().numpy(), batch.lengths.tolist(), strict=True):
                read = path[np.r_[True, path[1:] != path[:-1]]]
                read = read[read != 0]
                right += int(len(read) == length and bool((read == target[:length]).all()))
                lines += 1
        told.append(f"{script} {right / lines:.3f}")
    return ", ".join(told)


if __name__ == "__main__":
    main()
