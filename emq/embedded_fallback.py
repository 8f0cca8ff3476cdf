"""Serves fakeredis over TCP on this machine, where no real server can be had.

Run as a file, in a process of its own: ``python -P embedded_fallback.py PORT ADDRESS_FILE``. ``PORT`` 0
takes a free one. The address is written to ``ADDRESS_FILE`` once the server listens. Nothing is kept on
disk: what it holds is gone when it ends.
"""

import os
import sys
from pathlib import Path


def main(port: int, address_file: Path) -> None:
    """Serve until a signal ends this process."""
    from fakeredis import TcpFakeServer

    with TcpFakeServer(("127.0.0.1", port), server_version=(7, 0)) as server:
        draft = address_file.with_suffix(".draft")
        draft.write_text(f"redis://127.0.0.1:{server.server_address[1]}?db=0\n")
        os.replace(draft, address_file)
        server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
