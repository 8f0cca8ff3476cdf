"""Breaking real things: every step of the path, every process, every line, and what the promises come to."""
