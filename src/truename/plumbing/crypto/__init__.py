"""Keys, and what is sealed under them."""
