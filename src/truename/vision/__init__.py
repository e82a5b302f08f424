"""SEE: images in, evidence out. No database, no HTTP, no thresholds of a config."""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
"""Before anybody imports onnxruntime: 1.31 writes down in the user's folder what machine it runs on, and has an address
of its maker to send that to."""
