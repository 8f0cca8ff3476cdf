"""What people and groups choose, the language they are spoken to in, and what is told only once."""

from __future__ import annotations

import asyncio

import pytest

from codemojex.game.keyboards import Mode
from codemojex.game.refusals import BadOption
from codemojex.play import languages, preferences, rooms, told_once
from codemojex.play.players import Person, seen
from codemojex.play.preferences import Preferences
from codemojex.play.rooms import ChatRef
from codemojex.store import schema
from tests.play.makers import ADA, GROUP, T0
from tests.play.makers import rows as rows_of

IVAN = Person(5_000_000_201, "Иван", language="ru-RU")


async def _met(store):
    async def meet(tx):
        await seen(tx, ADA, T0)
        await seen(tx, IVAN, T0)
        await rooms.enter(tx, ChatRef(GROUP, "supergroup", "Fruit"), T0)

    await store.transact(meet)


async def _set(store, fn, id, **chosen):
    return await store.transact(lambda tx: fn(tx, id, **chosen))


WHOSE = [
    (preferences.of_player, preferences.set_player, ADA.id),
    (preferences.of_chat, preferences.set_chat, GROUP),
]


@pytest.mark.parametrize(("of", "choose", "id"), WHOSE)
async def test_a_choice_holds_until_it_is_taken_back_and_leaves_the_other_alone(store, of, choose, id):
    await _met(store)
    assert await store.read(lambda tx: of(tx, id)) == Preferences()
    assert await _set(store, choose, id, locale="ru") == Preferences("ru", None)
    assert await _set(store, choose, id, mode=Mode.PEGS) == Preferences("ru", Mode.PEGS)
    assert await _set(store, choose, id, locale=None) == Preferences(None, Mode.PEGS)
    assert await _set(store, choose, id, mode=None) == Preferences()
    assert await _set(store, choose, id) == Preferences()


@pytest.mark.parametrize(("of", "choose", "id"), WHOSE)
async def test_a_language_that_is_not_spoken_is_refused(store, of, choose, id):
    await _met(store)
    with pytest.raises(BadOption):
        await _set(store, choose, id, locale="tlh")
    assert await store.read(lambda tx: of(tx, id)) == Preferences()


async def test_who_is_not_known_has_chosen_nothing(store):
    assert await store.read(lambda tx: preferences.of_player(tx, 1)) == Preferences()
    assert await _set(store, preferences.set_chat, -1, locale="ru") == Preferences()


async def test_what_somebody_chose_survives_their_next_message(store):
    await _met(store)
    await _set(store, preferences.set_player, ADA.id, locale="ru", mode=Mode.BLIND)
    await _met(store)
    assert await store.read(lambda tx: preferences.of_player(tx, ADA.id)) == Preferences("ru", Mode.BLIND)


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("ru", "ru"), ("ru-RU", "ru"), ("RU_ru", "ru"), ("en-GB", "en"),
        ("de", "en"), ("rue", "en"), (None, "en"), ("", "en"),
    ],
)  # fmt: skip
def test_what_telegram_calls_a_language_is_spoken_where_it_can_be(code, language):
    assert languages.spoken(code) == language


async def _languages(store, *ids):
    return await store.read(lambda tx: languages.of(tx, ids))


async def test_a_chosen_language_goes_before_the_one_telegram_tells(store):
    await _met(store)
    assert await _languages(store, ADA.id, IVAN.id) == {ADA.id: "en", IVAN.id: "ru"}
    await _set(store, preferences.set_player, ADA.id, locale="ru")
    await _set(store, preferences.set_player, IVAN.id, locale="en")
    assert await _languages(store, ADA.id, IVAN.id) == {ADA.id: "ru", IVAN.id: "en"}


async def test_a_group_speaks_the_language_of_whoever_was_first_until_it_chooses(store):
    # given
    await _met(store)
    assert await _languages(store, GROUP) == {GROUP: "en"}

    # when
    await store.transact(lambda tx: languages.adopt(tx, GROUP, IVAN.language))
    await store.transact(lambda tx: languages.adopt(tx, GROUP, ADA.language))

    # then
    assert await _languages(store, GROUP) == {GROUP: "ru"}
    await _set(store, preferences.set_chat, GROUP, locale="en")
    assert await _languages(store, GROUP, ADA.id) == {GROUP: "en", ADA.id: "en"}


async def test_thousands_of_chats_are_asked_about_at_once(store):
    await _met(store)
    ids = [*range(1, 2_000), *range(-2_000, -1), IVAN.id]
    found = await _languages(store, *ids)
    assert set(found) == set(ids)
    assert [id for id, language in found.items() if language != "en"] == [IVAN.id]
    assert await _languages(store) == {}


async def test_a_group_is_noted_with_its_title_and_is_reachable_once_it_is_heard_of(store):
    # given
    await _met(store)
    await store.transact(lambda tx: rooms.unreachable(tx, GROUP, T0))
    await store.transact(lambda tx: rooms.unreachable(tx, -5, T0))
    [row] = await rows_of(store, schema.chats)
    assert (row.id, row.kind, row.title, row.unreachable_at) == (GROUP, "supergroup", "Fruit", T0)

    # when
    await store.transact(lambda tx: rooms.enter(tx, ChatRef(GROUP, "supergroup", "Nuts", thread_id=7), T0))

    # then
    [row] = await rows_of(store, schema.chats)
    assert (row.title, row.unreachable_at) == ("Nuts", None)


async def test_a_private_chat_is_no_group(store):
    await store.transact(lambda tx: rooms.enter(tx, ChatRef(ADA.id, "private", "Ada"), T0))
    assert await rows_of(store, schema.chats) == []


async def _first(store, chat_id, subject):
    return await store.transact(lambda tx: told_once.first(tx, chat_id, subject, T0))


async def test_a_subject_is_told_once_in_each_chat(store):
    assert await _first(store, GROUP, "edited")
    assert not await _first(store, GROUP, "edited")
    assert await _first(store, GROUP, "anonymous")
    assert await _first(store, ADA.id, "edited")


async def test_of_many_who_are_about_to_tell_one_does(store):
    told = await asyncio.gather(*(_first(store, GROUP, "edited") for _ in range(6)))
    assert sum(told) == 1


async def test_each_of_a_group_is_told_once(store):
    subjects = [told_once.about("edited", id) for id in (ADA.id, IVAN.id, ADA.id)]
    assert [await _first(store, GROUP, subject) for subject in subjects] == [True, True, False]


async def test_what_was_not_committed_was_not_told(store):
    async def tell(tx):
        assert await told_once.first(tx, GROUP, "edited", T0)
        raise RuntimeError("before the commit")

    with pytest.raises(RuntimeError, match="before the commit"):
        await store.transact(tell)
    assert await _first(store, GROUP, "edited")
