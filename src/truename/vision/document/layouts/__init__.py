"""Documents as data: what each country's documents look like, say and bear, one readable file for each country.

`XX.toml` is one country; `languages/` what documents print in a language; `models/` layouts that several countries
share (the numbered driving licences). `model.py` names every key, `load.py` reads the files, `phrases.py` looks up.
"""
