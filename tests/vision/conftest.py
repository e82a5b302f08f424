"""Tests of vision look at picture after picture, as a worker does."""

from truename.vision.memory import keep_freed_memory

keep_freed_memory()
