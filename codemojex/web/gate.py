"""Who may come in: this machine's own browser, with the address that was printed.

Any page of the internet that is open in the same browser can send requests to loopback. It knows neither the
port nor the token, and what it sends carries another Origin, or another Host if its name was made to point
here.
"""

from __future__ import annotations

import secrets

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

# Nothing but what this server serves, and no way for a string to become markup or a script.
_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Gate:
    """Lets in requests to ``/<token>/`` that a browser sent for the page itself."""

    def __init__(self, token: str) -> None:
        self.token = token
        self._hosts: frozenset[str] = frozenset()

    def open(self, port: int) -> None:
        """Say which port is listened on; before that nobody comes in."""
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})

    def middleware(self) -> Middleware:
        """The check, for an application."""

        @web.middleware
        async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
            host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
            if host not in self._hosts or origin not in (None, f"http://{host}"):
                raise web.HTTPForbidden(text="This page is for the browser on this machine.\n")
            if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
                raise web.HTTPForbidden(text="This page is not for other pages.\n")
            given = request.path.split("/")[1]
            if not secrets.compare_digest(given.encode(), self.token.encode()):
                raise web.HTTPNotFound(text="Open the address that `codemojex play --web` printed.\n")
            return await handler(request)

        return check


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Put the headers that keep the page to itself on a response; for ``on_response_prepare``."""
    response.headers.update(_HEADERS)
