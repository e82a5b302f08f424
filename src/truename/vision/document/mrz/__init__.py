"""The machine-readable zone: found, read, checked."""
