"""Documents and heads that are drawn, for simulated captures, tests and benchmarks: imported only on demand."""
