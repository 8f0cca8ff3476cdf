"""One file opens connections; the rest is given them."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "codemojex"
OPENS = re.compile(r"\b(open_store|emq\.connect|EmbeddedServer\.start|create_async_engine|Bot)\(")

MINTS = re.compile(r"\bemq\.mint\(|\bemq\.mint[,)]")


def test_connections_are_opened_in_one_file_only():
    opening = {
        str(path.relative_to(PACKAGE)): found
        for path in PACKAGE.rglob("*.py")
        # The pytest plugin starts servers for tests; no program imports it.
        if "testing" not in path.relative_to(PACKAGE).parts
        if (found := list(OPENS.findall(path.read_text())))
    }
    # The engine file is where the verb itself is defined.
    assert set(opening) == {"connections.py", "store/engine.py"}


def test_ids_are_minted_where_an_outage_is_known_for_one():
    """`emq.mint` raises when the node id lapsed; `codemojex.minting` says so in the word that every part waits out."""
    minting = {
        str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if MINTS.search(path.read_text())
    }
    assert minting == {"minting.py"}
