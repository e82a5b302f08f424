"""The sandbox: evidence on purpose instead of captures, a clock that can be moved, and documents and faces to draw."""
