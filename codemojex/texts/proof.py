"""The proof that the code never changed."""

from __future__ import annotations

from codemojex.game import secret
from codemojex.play.games import GameView
from codemojex.texts.markup import Html
from codemojex.texts.topic import Topic, blocks, rows

_SEPARATOR = "\\036"  # U+001E as every printf spells it


class ProofTexts(Topic):
    """What /verify says."""

    def verify(self, view: GameView, *, playing: bool = False) -> Html:
        """Whether secret and nonce of a closed game give its commitment, and how to see that by hand.

        Args:
            playing: another game is on meanwhile, so that it has to be said which one this is about.

        Raises:
            ValueError: the game is still open.
        """
        if view.secret is None or view.nonce is None:
            raise ValueError("an open game has nothing to verify")
        kept = secret.verify(view.secret, view.nonce, view.commitment)
        return blocks(
            self._say("verify-last") if playing else "",
            rows(
                self._say("verify-kept" if kept else "verify-broken"),
                self._say("verify-seal", commitment=view.commitment),
            ),
            self._say("verify-code", symbols="".join(view.secret), nonce=view.nonce),
            self._say("verify-hand", command=by_hand(view.secret, view.nonce)),
        )

    def nothing_to_verify(self, *, playing: bool = False) -> Html:
        """There is no finished game; ``playing``: the first is on."""
        return self._say("verify-not-yet" if playing else "verify-nothing")


def by_hand(symbols: tuple[str, ...], nonce: str) -> str:
    """A line for any shell that prints the commitment."""
    return f"printf '{_SEPARATOR.join([*symbols, nonce])}' | sha256sum"
