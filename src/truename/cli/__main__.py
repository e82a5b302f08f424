"""`python -m truename.cli` is `truename`."""

from truename.cli import app

app(prog_name="truename")
