"""Settings: what `.env.example` says is what the programs read."""

import re
from pathlib import Path

import pytest

from codemojex.settings import BadSettings, Settings, read_settings

ROOT = Path(__file__).parents[2]
LINE = re.compile(r"^([A-Z_]+)=(.*)$", re.MULTILINE)


def test_every_variable_and_its_default_stand_in_the_example_file():
    # given
    written = dict(LINE.findall((ROOT / ".env.example").read_text()))

    # when
    read = {}
    for name, field in Settings.model_fields.items():
        default = field.default
        read[name.upper()] = "" if default is None else str(getattr(default, "value", default))

    # then
    assert written == read


def test_the_example_file_is_itself_a_working_configuration(monkeypatch):
    # given
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)

    # when
    settings = read_settings(_env_file=ROOT / ".env.example")

    # then
    assert settings == read_settings(_env_file=None)


@pytest.mark.parametrize(
    ("name", "value"),
    [("WORKER_BATCH", "many"), ("WORKER_LEASE_MS", "0"), ("LOG_LEVEL", "LOUD"), ("SWEEP_SECONDS", "-1")],
)
def test_a_value_that_cannot_work_is_named_in_one_line(monkeypatch, name, value):
    # given
    monkeypatch.setenv(name, value)

    # when
    with pytest.raises(BadSettings) as refusal:
        read_settings(_env_file=None)

    # then
    assert str(refusal.value).startswith(f"{name}: ")
    assert ".env.example" in str(refusal.value)


def test_a_missing_token_says_where_to_get_one():
    with pytest.raises(BadSettings, match="@BotFather"):
        read_settings(_env_file=None).token()
