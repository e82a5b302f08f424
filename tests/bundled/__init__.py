"""The files of others that travel inside the package."""
