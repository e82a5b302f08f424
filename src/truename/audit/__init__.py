"""Who did what to whose data."""
