"""THINK: pure judgement. Facts go in, rules find issues, the config sets severities, the decision comes out."""
