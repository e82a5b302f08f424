"""SEE: images in, evidence out. No database, no HTTP, no thresholds of a config."""
