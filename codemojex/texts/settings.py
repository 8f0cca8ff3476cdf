"""Settings, and what is stored about whom."""

from __future__ import annotations

from codemojex.game.keyboards import Mode
from codemojex.play.preferences import Preferences
from codemojex.texts.language import Language
from codemojex.texts.markup import Html, plain
from codemojex.texts.topic import Topic, blocks, rows


class SettingTexts(Topic):
    """What /settings and /privacy say."""

    def settings(self, prefs: Preferences, *, group: bool) -> Html:
        """What is set, of a person or of a group, and how to change it."""
        return blocks(
            rows(
                self._say("settings-group" if group else "settings"), *_chosen(self._language, prefs, group)
            ),
            self._say("settings-how-group" if group else "settings-how"),
        )

    def settings_changed(self, prefs: Preferences, *, group: bool) -> Html:
        """What is set now."""
        return rows(self._say("settings-changed"), *_chosen(self._language, prefs, group))

    def language_name(self, code: str | None) -> str:
        """What a language is called in itself, for a button; None: whatever Telegram tells."""
        return plain(self._say(f"language-{code or 'auto'}"))

    def mode_name(self, mode: Mode) -> str:
        """What a mode is called, for a button."""
        return plain(self._say(f"mode-{mode}"))

    def privacy(self) -> Html:
        """What is stored."""
        return self._say("privacy")

    def privacy_ask(self) -> Html:
        """Whether to forget the reader."""
        return self._say("privacy-ask")

    def privacy_buttons(self) -> tuple[str, str]:
        """What the buttons below that say: to forget, and to keep everything."""
        return plain(self._say("privacy-button-forget")), plain(self._say("privacy-button-keep"))

    def privacy_kept(self) -> Html:
        """The reader thought better of it."""
        return self._say("privacy-kept")

    def forgotten(self) -> Html:
        """The reader is forgotten."""
        return self._say("privacy-forgotten")

    def exported(self) -> Html:
        """What stands beside the file with everything about the reader."""
        return self._say("privacy-exported")


def _chosen(language: Language, prefs: Preferences, group: bool) -> list[Html]:
    key = "settings-language" if prefs.locale or group else "settings-language-auto"
    return [
        language.say(key, language=language.say(f"language-{prefs.locale or language.code}")),
        language.say("settings-mode", mode=language.say(f"mode-{prefs.mode or Mode.CLASSIC}")),
    ]
