"""The printed words of a page: found, read, and told what they are."""
