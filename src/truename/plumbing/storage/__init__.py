"""Where sealed images are kept."""
