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
    [
        ("WORKER_BATCH", "many"),
        ("GUESS_QUEUE", "a b"),
        ("NOTIFY_QUEUE", "emq"),
        ("TELEGRAM_API_URL", "nonsense"),
        ("WORKER_LEASE_MS", "0"),
        ("LOG_LEVEL", "LOUD"),
        ("SWEEP_SECONDS", "-1"),
    ],
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


def test_one_name_for_both_queues_is_refused(monkeypatch):
    # given
    monkeypatch.setenv("GUESS_QUEUE", "x")
    monkeypatch.setenv("NOTIFY_QUEUE", "x")

    # then
    with pytest.raises(BadSettings, match="GUESS_QUEUE and NOTIFY_QUEUE are the same"):
        read_settings(_env_file=None)


def test_the_home_folder_is_made_for_its_owner_alone(monkeypatch, tmp_path):
    # given
    monkeypatch.setenv("CODEMOJEX_HOME", str(tmp_path / "new" / "home"))

    # when
    home = read_settings(_env_file=None).make_home()

    # then
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_home_that_cannot_be_made_is_one_sentence(monkeypatch, tmp_path):
    # given
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CODEMOJEX_HOME", str(tmp_path / "file" / "home"))

    # then
    with pytest.raises(BadSettings, match=r"CODEMOJEX_HOME: the folder .* cannot be made"):
        read_settings(_env_file=None).make_home()
