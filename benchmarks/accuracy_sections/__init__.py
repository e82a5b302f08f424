"""The sections of the accuracy report: each module has `run(data, peers, plots) -> list[Row]`."""
