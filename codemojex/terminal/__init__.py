"""A chat with the bot in a terminal, on behalf of one person of the local Telegram."""

from codemojex.terminal.chat import Seat, chat
from codemojex.terminal.letters import Key, Keyboard, Letters, lettered

__all__ = ["Key", "Keyboard", "Letters", "Seat", "chat", "lettered"]
