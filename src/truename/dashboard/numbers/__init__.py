"""Home: what needs a person, whether anything is broken, and how it went, each number with its rows behind it."""
