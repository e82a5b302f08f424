"""Trains the reader of figures on drawn lines, on a processor, and writes it as ONNX: see README.md."""

import argparse
import itertools
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.figures.lines import OTHER, Sample, samples
from truename.vision.document.print.figure_lines import CLASSES

LAYERS = (160, 64)
BATCH, RATE = 256, 2e-3


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("target", type=Path)
    ask.add_argument("--fonts", type=Path, default=Path("build/figure_fonts"))
    ask.add_argument("--lines", type=int, default=9000)
    ask.add_argument("--rounds", type=int, default=24)
    ask.add_argument("--seed", type=int, default=20261116)
    args = ask.parse_args()
    learnt = list(samples(args.fonts, args.lines, args.seed))
    others = list(samples(args.fonts, 800, args.seed + 1, held_out=True))
    weights = _trained(learnt, args.rounds, args.seed)
    print(
        "learnt fonts:", _measured(weights, learnt[:800]), "| fonts never seen:", _measured(weights, others), flush=True
    )
    _write(weights, args.target)


Weights = list[tuple[np.ndarray, np.ndarray]]


def _trained(learnt: list[Sample], rounds: int, seed: int) -> Weights:
    """Plain layers with ReLU between them, by Adam; ink is shifted, thickened and dimmed a little in every round."""
    chance = np.random.default_rng(seed)
    x = np.concatenate([seen for seen, _, _ in learnt]).astype(np.float32)
    y = np.concatenate([truth for _, truth, _ in learnt])
    print(len(x), "pieces", np.bincount(y), flush=True)
    sizes = (x.shape[1], *LAYERS, len(CLASSES))
    weights = [(chance.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32), np.zeros(b, np.float32))
               for a, b in itertools.pairwise(sizes)]  # fmt: skip
    flat = [part for layer in weights for part in layer]
    first, second = [np.zeros_like(part) for part in flat], [np.zeros_like(part) for part in flat]
    step, steps = 0, rounds * (len(x) // BATCH)
    for number in range(rounds):
        order, total = chance.permutation(len(x)), 0.0
        for at in range(0, len(x) - BATCH + 1, BATCH):
            chosen = order[at : at + BATCH]
            batch = x[chosen].copy()
            batch[:, :-3] *= chance.uniform(0.8, 1.1, (BATCH, 1))
            batch += chance.normal(0, 0.05, batch.shape).astype(np.float32)
            loss, slopes = _slopes(weights, batch, y[chosen])
            total += loss
            step += 1
            rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps)) + 1e-5
            for part, slope, m, v in zip(flat, slopes, first, second, strict=True):
                m += 0.1 * (slope - m)
                v += 0.001 * (slope**2 - v)
                part -= rate * (m / (1 - 0.9**step) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8) + 1e-4 * part)
        print(f"round {number + 1}: loss {total / (len(x) // BATCH):.4f}", flush=True)
    return weights


def _slopes(weights: Weights, x: np.ndarray, y: np.ndarray) -> tuple[float, list[np.ndarray]]:
    seen = [x]
    for at, (w, b) in enumerate(weights):
        out = seen[-1] @ w + b
        seen.append(np.maximum(out, 0) if at < len(weights) - 1 else out)
    chances = _chances(seen[-1])
    loss = float(-np.log(chances[np.arange(len(y)), y] + 1e-9).mean())
    back = chances
    back[np.arange(len(y)), y] -= 1
    back /= len(y)
    slopes: list[np.ndarray] = []
    for at in range(len(weights) - 1, -1, -1):
        slopes = [seen[at].T @ back, back.sum(0), *slopes]
        back = (back @ weights[at][0].T) * (seen[at] > 0)
    return loss, slopes


def _chances(out: np.ndarray) -> np.ndarray:
    raised = np.exp(out - out.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


def _measured(weights: Weights, listed: list[Sample]) -> str:
    """Share of numbers read without a fault, of their pieces, and of lines of words in which nothing is a figure."""
    right = pieces = whole = numbers = clean = words = 0
    for seen, truth, is_number in listed:
        out = seen
        for at, (w, b) in enumerate(weights):
            out = out @ w + b
            out = np.maximum(out, 0) if at < len(weights) - 1 else out
        read = out.argmax(1)
        if is_number:
            right, pieces = right + int((read == truth).sum()), pieces + len(truth)
            whole, numbers = whole + bool((read == truth).all()), numbers + 1
        else:
            clean, words = clean + bool((read == OTHER).mean() > 0.7), words + 1
    return f"{whole / numbers:.3f} of numbers, {right / pieces:.4f} of figures, {clean / words:.3f} of words left alone"


def _write(weights: Weights, target: Path) -> None:
    nodes, stored, x = [], [], "pieces"
    for at, (w, b) in enumerate(weights):
        for name, part in ((f"w{at}", w), (f"b{at}", b)):
            stored.append(numpy_helper.from_array(part.astype(np.float16), f"{name}_half"))
            nodes.append(helper.make_node("Cast", [f"{name}_half"], [name], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Gemm", [x, f"w{at}", f"b{at}"], [f"out{at}"]))
        x = f"out{at}"
        if at < len(weights) - 1:
            nodes.append(helper.make_node("Relu", [x], [f"seen{at}"]))
            x = f"seen{at}"
    nodes.append(helper.make_node("Softmax", [x], ["chances"], axis=-1))
    graph = helper.make_graph(
        nodes,
        "figures",
        [helper.make_tensor_value_info("pieces", TensorProto.FLOAT, ["pieces", weights[0][0].shape[0]])],
        [helper.make_tensor_value_info("chances", TensorProto.FLOAT, ["pieces", len(CLASSES)])],
        stored,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    target.write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
