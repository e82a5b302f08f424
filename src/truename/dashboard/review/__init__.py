"""Review: the queue, one case with its blind question first, the decision that is held, and its undo."""
