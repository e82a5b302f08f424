"""The people who work in the dashboard: who they are, what they may do in which account, and how they prove it."""
