"""The API: one application from every room's part of the interface."""
