"""Back-test: judge stored transactions again under another policy, and say which decisions would have been others."""
