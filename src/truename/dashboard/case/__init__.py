"""One transaction on one page: what was decided and why, the evidence for it, and what became of it."""
