"""The policy lab: another policy on stored transactions, and at once how many decisions flip, which ones, and why."""
