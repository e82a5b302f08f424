"""Truename: self-hosted identity verification whose every decision can be explained."""

import os

# Numpy's linear algebra starts a thread for each core, and all of them spin while they wait for each other: where the
# cores are busy, the rotation of one account's faces takes twenty times as long. Work is spread over processes instead.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Version 1.31 of onnxruntime writes down in the user's folder what machine it runs on, and has an address of its maker
# to send that to. Its own call that disables it comes too late: the file is there by then.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

__version__ = "0.2.0"
"""The one place of the version: the wheel, the command line, the API, receipts and pages take it from here."""
