"""How much the tests of this folder try: little by default, and as much as the environment says.

FAULTS           anything: all of it, which `make faults` does; else a short part
FAULTS_SEED      of everything random here; a failing run prints it
FAULTS_LONG      anything: every case, long outages
"""

from __future__ import annotations

import os

SEED = int(os.environ.get("FAULTS_SEED", "7"))
WHOLE = bool(os.environ.get("FAULTS"))
LONG = bool(os.environ.get("FAULTS_LONG"))
