"""Telling the integrator: events that commit with their cause, signed, delivered at least once, to safe addresses."""
