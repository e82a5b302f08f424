"""Analysis: the only place where seeing, judging and doing meet."""
