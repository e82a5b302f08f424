"""Numbers that speak for or against a document being genuine; the limits stand in `rules/authenticity_signs.py`."""
