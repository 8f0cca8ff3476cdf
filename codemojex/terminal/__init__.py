"""A chat with the bot in a terminal, on behalf of one person of the local Telegram."""

from codemojex.terminal.chat import chat
from codemojex.terminal.letters import Key, Keyboard

__all__ = ["Key", "Keyboard", "chat"]
