"""A page that looks and works like a chat client, on behalf of several people of the local Telegram."""

from codemojex.web.album import Album
from codemojex.web.crowd import Crowd
from codemojex.web.showing import Symbols
from codemojex.web.site import Site

__all__ = ["Album", "Crowd", "Site", "Symbols"]
