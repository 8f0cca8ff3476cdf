"""The body of a post: JSON in whatever encoding JSON may have, an update with an id, not too deep."""

from __future__ import annotations

import json

import pytest

from codemojex.bot.posted import MAX_DEPTH, Unreadable, is_json, read_update


@pytest.mark.parametrize(
    ("kind", "taken"),
    [
        ("application/json", True),
        ("Application/JSON", True),
        ("application/vnd.telegram+json", True),
        ("text/plain", False),
        ("text/json+json", False),
        ("application/octet-stream", False),
        ("application/jsonx", False),
    ],
)
def test_json_is_known_by_its_media_type(kind, taken):
    assert is_json(kind) is taken


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_an_update_is_read_in_every_encoding_that_json_has(encoding):
    update = {"update_id": 7, "message": {"text": "🍎"}}
    assert read_update(json.dumps(update, ensure_ascii=False).encode(encoding)) == update


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe\xff",
        b"[]",
        b"7",
        b"null",
        b"{}",
        b'{"update_id": "7"}',
        b'{"update_id": 7.0}',
        b'{"update_id": true}',
        b'{"update_id": 18446744073709551616}',
        b'{"update_id": ' + b"9" * 5_000 + b"}",
    ],
    ids=lambda body: repr(body[:30]),
)
def test_what_is_no_update_is_refused_without_quoting_it(body):
    with pytest.raises(Unreadable) as refusal:
        read_update(body)
    assert str(refusal.value) in ("no JSON", "no update")


@pytest.mark.parametrize("depth", [MAX_DEPTH, 1_000, 100_000])
@pytest.mark.parametrize("brackets", [("[", "]"), ('{"a":', "}")], ids=["lists", "objects"])
def test_what_nests_too_deeply_is_refused(depth, brackets):
    opens, closes = brackets
    body = f'{{"update_id": 7, "message": {opens * depth}1{closes * depth}}}'
    with pytest.raises(Unreadable, match="nested too deeply"):
        read_update(body.encode())


def test_what_just_fits_is_taken():
    inner: object = 1
    for _ in range(MAX_DEPTH - 2):
        inner = [inner]
    update = {"update_id": 7, "message": inner}
    assert read_update(json.dumps(update).encode()) == update
