"""Truename: self-hosted identity verification whose every decision can be explained."""
