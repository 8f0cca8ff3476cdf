"""The parameters of a request: named, typed, nothing unknown.

Form fields arrive as strings, JSON bodies as values; both read the same here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from codemojex.localtg.errors import Refusal, bad_request

Reader = Callable[[str, Any], Any]
Values = dict[str, Any]


def integer(name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise _wrong(name, value, "Integer")
    try:
        return int(value)
    except ValueError:
        raise bad_request(f'parameter "{name}" must be an Integer') from None


def boolean(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false", "yes", "no", "1", "0"):
        return value.lower() in ("true", "yes", "1")
    raise bad_request(f'parameter "{name}" must be a Boolean')


def string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, value, "String")
    return value


def chat_id(name: str, value: Any) -> int:
    """An id of a chat; the public @names of channels are nobody's here."""
    if value == "":
        raise bad_request("chat_id is empty")
    if isinstance(value, str) and value.startswith("@"):
        raise bad_request("chat not found")
    try:
        return integer(name, value)
    except Refusal:
        raise bad_request("chat not found") from None


def structure(name: str, value: Any) -> Any:
    """A JSON object or array, as text or as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise bad_request(f"can't parse {name.replace('_', ' ')} JSON object") from None


def array(name: str, value: Any) -> list[Any]:
    found = structure(name, value)
    if not isinstance(found, list):
        raise _wrong(name, found, "Array")
    return found


def mapping(name: str, value: Any) -> Values:
    found = structure(name, value)
    if not isinstance(found, dict):
        raise _wrong(name, found, "Object")
    return found


def read(method: str, fields: Mapping[str, Reader], given: Mapping[str, Any]) -> Values:
    """The values of ``given``, typed.

    Raises:
        Refusal: 400 for a field the method does not have, or a value of the wrong type.
    """
    values: Values = {}
    for name, value in given.items():
        reader = fields.get(name)
        if reader is None:
            raise bad_request(f'the local Telegram knows no parameter "{name}" of {method}')
        if value is not None:
            values[name] = reader(name, value)
    return values


def needed(values: Values, name: str) -> Any:
    """A parameter that must be there."""
    if name not in values:
        if name == "chat_id":
            raise bad_request("chat_id is empty")
        raise bad_request(f'parameter "{name}" is required')
    return values[name]


def only(name: str, found: Values, allowed: frozenset[str]) -> Values:
    """An object parameter with nothing unknown inside."""
    unknown = sorted(set(found) - allowed)
    if unknown:
        raise bad_request(f'the local Telegram knows no field "{unknown[0]}" of {name}')
    return found


def _wrong(name: str, value: Any, kind: str) -> Refusal:
    return bad_request(f'parameter "{name}" must be of type {kind}, not {type(value).__name__}')
