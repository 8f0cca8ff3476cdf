"""What an operator is told of a running process: whether it lives, whether it is ready, and its figures."""

from codemojex.ops.listener import Listener, listening
from codemojex.ops.watched import BotSide, Watched

__all__ = ["BotSide", "Listener", "Watched", "listening"]
