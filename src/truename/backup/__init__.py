"""Backups: database and pictures of one moment in one file, and back."""
