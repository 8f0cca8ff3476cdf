"""Flows have the plugin's fixtures; their engines share what they compile."""

from __future__ import annotations

from tests import compiled

compiled.share()
