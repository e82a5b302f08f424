"""Truename: self-hosted identity verification whose every decision can be explained."""

import os

# Numpy's linear algebra starts a thread for each core, and all of them spin while they wait for each other: where the
# cores are busy, the rotation of one account's faces takes twenty times as long. Work is spread over processes instead.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.2.0"
"""The one place of the version: the wheel, the command line, the API, receipts and pages take it from here."""
