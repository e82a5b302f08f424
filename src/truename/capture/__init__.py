"""What the person's device sends: consent, signals, documents and the live face, each checked at once."""
