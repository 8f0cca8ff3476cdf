"""Languages: each says everything that is asked for and nothing else, and counts as its grammar does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from fluent.syntax import FluentParser
from fluent.syntax import ast as ftl
from fluent.syntax.visitor import Visitor

import codemojex.texts
from codemojex.game.keyboards import THEMES, Mode
from codemojex.play.games import Cause
from codemojex.play.languages import LANGUAGES
from codemojex.play.seasons import Period
from codemojex.texts import Texts, catalogs, commands
from codemojex.texts.endings import _TOGETHER
from codemojex.texts.language import Language, language, languages
from codemojex.texts.symbols import KEYS

HERE = Path(codemojex.texts.__file__).parent
ENGLISH, RUSSIAN = language("en"), language("ru")
NUMBERS = [*range(30), 101, 111, 112, 121, 1_000, 1_440, 10**6]

# Keys that the code puts together: by mode, by cause, by command and so on.
MADE = {
    *(f"new-{mode}" for mode in Mode),
    *(f"mode-{mode}" for mode in Mode),
    *(f"ended-{cause}".replace("_", "-") for cause in set(Cause) - {Cause.CRACKED, Cause.DAY_OVER}),
    *(f"ended-{cause}-together".replace("_", "-") for cause in _TOGETHER),
    *(f"command-{name}" for name, _ in commands()),
    *(f"theme-{theme}" for theme in THEMES),
    *(f"language-{code}" for code in (*LANGUAGES, "auto")),
    *(f"top-{period}" for period in Period),
    *KEYS.values(),
}


class Asked(ast.NodeVisitor):
    """Collects the keys that code names: all words, and those that are surely keys."""

    def __init__(self) -> None:
        self.words: set[str] = set()
        self.keys: set[str] = set()

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.words.add(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in ("say", "_say", "_simple") and node.args:
            key = node.args[0]
            branches = [key.body, key.orelse] if isinstance(key, ast.IfExp) else [key]
            self.keys |= {each.value for each in branches if isinstance(each, ast.Constant)}
        self.generic_visit(node)


def asked() -> Asked:
    found = Asked()
    for path in HERE.glob("*.py"):
        found.visit(ast.parse(path.read_text()))
    return found


def test_there_are_sentences_in_every_language_that_is_spoken() -> None:
    assert languages() == sorted(LANGUAGES)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_key_in_the_code_has_its_sentence(code: str) -> None:
    keys = asked().keys | MADE
    assert len(keys) > 200
    assert keys - set(language(code).fields) == set()


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_sentence_is_asked_for(code: str) -> None:
    assert set(language(code).fields) - asked().words - MADE == set()


def test_the_languages_have_the_same_sentences_of_the_same_values() -> None:
    assert ENGLISH.fields == RUSSIAN.fields


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_sentence_can_be_said_of_every_number(code: str) -> None:
    spoken = language(code)
    for key, names in spoken.fields.items():
        for n in NUMBERS if "n" in names else [None]:
            assert spoken.say(key, n, **dict.fromkeys(names - {"n"}, "x")).strip(), key


class Selections(Visitor):
    """Collects what a sentence chooses by, and between which forms."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str], str]] = []

    def visit_SelectExpression(self, node: ftl.SelectExpression) -> None:  # noqa: N802 (Fluent's own name)
        by = node.selector
        forms = [form.key.name for form in node.variants if isinstance(form.key, ftl.Identifier)]
        [default] = [form.key.name for form in node.variants if form.default]
        self.found.append((by.id.name, forms, default))
        self.generic_visit(node)


@pytest.mark.parametrize(
    ("code", "counting", "ranking"),
    [("en", {"one", "other"}, {"one", "two", "few", "other"}), ("ru", {"one", "few", "many"}, {"other"})],
)
def test_forms_are_those_of_the_language(code: str, counting: set[str], ranking: set[str]) -> None:
    found = Selections()
    for path in (HERE / "locales" / code).glob("*.ftl"):
        found.visit(FluentParser().parse(path.read_text()))
    assert len(found.found) > 20
    for by, forms, default in found.found:
        assert by in ("n", "ORDINAL"), "a sentence chooses by its number alone"
        assert set(forms) <= (ranking if by == "ORDINAL" else counting)
        assert default == ("many" if code == "ru" else "other")


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (0, "0 guesses left"),
        (1, "one guess left"),
        (2, "2 guesses left"),
        (11, "11 guesses left"),
        (21, "21 guesses left"),
        (101, "101 guesses left"),
        (1_440, "1440 guesses left"),
    ],
)
def test_guesses_are_counted_as_english_counts(n: int, said: str) -> None:
    assert ENGLISH.say("result-left", n) == said


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (0, "осталось 0 попыток"),
        (1, "осталась 1 попытка"),
        (2, "осталось 2 попытки"),
        (4, "осталось 4 попытки"),
        (5, "осталось 5 попыток"),
        (11, "осталось 11 попыток"),
        (12, "осталось 12 попыток"),
        (14, "осталось 14 попыток"),
        (21, "осталась 21 попытка"),
        (22, "осталось 22 попытки"),
        (25, "осталось 25 попыток"),
        (101, "осталась 101 попытка"),
        (111, "осталось 111 попыток"),
        (112, "осталось 112 попыток"),
        (1_440, "осталось 1440 попыток"),
    ],
)
def test_guesses_are_counted_as_russian_counts(n: int, said: str) -> None:
    assert RUSSIAN.say("result-left", n) == said


@pytest.mark.parametrize(
    ("key", "one", "few", "many"),
    [
        ("new-guesses", "попытка.", "попытки.", "попыток."),
        ("new-minutes", "минуту.", "минуты.", "минут."),
        ("ended-you-won", "попытку!</b>", "попытки!</b>", "попыток!</b>"),
        ("board-guesses", "попытка", "попытки", "попыток"),
        ("board-minutes", "минута.", "минуты.", "минут."),
        ("board-more", "игрок", "игрока", "игроков"),
        ("stats-games", "игра", "игры", "игр"),
        ("stats-wins", "победа", "победы", "побед"),
        ("stats-cracks", "взломанный код", "взломанных кода", "взломанных кодов"),
        ("top-points", "очко", "очка", "очков"),
        ("daily-cracked", "попытку!</b>", "попытки!</b>", "попыток!</b>"),
        ("daily-streak", "день подряд.", "дня подряд.", "дней подряд."),
        ("daily-best-streak", "день.", "дня.", "дней."),
        ("hint-left", "подсказка.", "подсказки.", "подсказок."),
    ],
)
def test_russian_things_agree_with_their_number(key: str, one: str, few: str, many: str) -> None:
    for n in (21, 31, 101, 121, 1_001):
        assert RUSSIAN.say(key, n).endswith(f"{n} {one}")
    for n in (2, 3, 4, 22, 34, 102):
        assert RUSSIAN.say(key, n).endswith(f"{n} {few}")
    for n in (5, 10, 11, 12, 13, 14, 20, 25, 111, 112):
        assert RUSSIAN.say(key, n).endswith(f"{n} {many}")


@pytest.mark.parametrize(
    ("n", "english", "russian"),
    [
        (1, "1st of 200", "1-е место из 200"),
        (2, "2nd of 200", "2-е место из 200"),
        (3, "3rd of 200", "3-е место из 200"),
        (4, "4th of 200", "4-е место из 200"),
        (11, "11th of 200", "11-е место из 200"),
        (12, "12th of 200", "12-е место из 200"),
        (13, "13th of 200", "13-е место из 200"),
        (21, "21st of 200", "21-е место из 200"),
        (101, "101st of 200", "101-е место из 200"),
        (112, "112th of 200", "112-е место из 200"),
    ],
)
def test_ranks_are_said_as_each_language_says_them(n: int, english: str, russian: str) -> None:
    assert ENGLISH.say("rank", n, of=200) == english
    assert RUSSIAN.say("rank", n, of=200) == russian


def test_every_emoji_of_every_theme_has_a_name_of_its_own_in_each_language() -> None:
    symbols = [symbol for theme in THEMES.values() for symbol in theme.symbols]
    assert [ENGLISH.say(KEYS[symbol.char]) for symbol in symbols] == [symbol.name for symbol in symbols]
    assert [ENGLISH.say(f"theme-{name}") for name in THEMES] == [theme.title for theme in THEMES.values()]
    assert len({RUSSIAN.say(KEYS[symbol.char]) for symbol in symbols}) == len(symbols)


@pytest.mark.parametrize(
    ("code", "spoken"),
    [
        ("ru", "ru"),
        ("ru-RU", "ru"),
        ("RU_ru", "ru"),
        ("en-GB", "en"),
        ("uk", "en"),
        ("rup", "en"),
        ("", "en"),
        (None, "en"),
        ("../ru", "en"),
    ],
)
def test_a_language_is_found_by_what_telegram_calls_it(code: str | None, spoken: str) -> None:
    assert catalogs.of(code).code == spoken
    assert catalogs.of(code) is catalogs.of(spoken)


def test_the_texts_speak_english_unless_told_otherwise() -> None:
    assert Texts().code == "en"


def test_a_value_is_escaped_and_markup_is_not() -> None:
    said = ENGLISH.say("unknown-command", command="/<b>")
    assert said == "I don't know /&lt;b&gt;. /help lists what I understand."


def test_what_a_sentence_needs_it_must_be_given() -> None:
    with pytest.raises(KeyError, match="result-left"):
        ENGLISH.say("result-left")
    with pytest.raises(KeyError, match="command"):
        ENGLISH.say("unknown-command")
    with pytest.raises(KeyError, match="riddle"):
        ENGLISH.say("riddle")


def test_broken_or_doubled_sentences_are_refused_when_they_are_read() -> None:
    with pytest.raises(ValueError, match="not Fluent"):
        Language("en", "key value")
    with pytest.raises(ValueError, match="called a"):
        Language("en", "a = 1", "a = 2")
    with pytest.raises(ValueError, match="a cannot be said"):
        Language("en", "a = { b }").say("a")


def test_no_two_topics_of_the_texts_share_a_name() -> None:
    """A topic that shadowed another's method would silence it."""
    seen: set[str] = set()
    for topic in Texts.__bases__:
        own = {name for name in vars(topic) if not name.startswith("__")}
        assert own & seen == set()
        seen |= own
