"""The rules of the game, pure: no await, no clock, no dice of their own, no I/O."""
