"""Statistics: hourly sums of what happened, so that a page of numbers reads hundreds of rows and not a million."""
