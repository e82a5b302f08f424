"""The list of transactions: filters in the address, pages without an end, views with a name, an export."""
