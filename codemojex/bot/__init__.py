"""The Telegram edge: updates in, use cases called, notices written. Nothing here keeps state."""
