"""Writes the trained outline finder as one ONNX file and compares it with the original."""

import argparse
from pathlib import Path

from training import loop, marking
from training.corners.network import OutlineFinder


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("weights", type=Path)
    ask.add_argument("target", type=Path)
    args = ask.parse_args()
    network = OutlineFinder()
    loop.load_trained(network, args.weights)
    marking.write(network, args.target, "outline")


if __name__ == "__main__":
    main()
