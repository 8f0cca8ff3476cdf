"""Settings: what `.env.example` says is what the programs read."""

import re
from pathlib import Path

import pytest

from codemojex.logs import secrets_of
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
        ("WEBHOOK_URL", "example.org/hook"),
        ("WEBHOOK_URL", "https://example.org/hook?x=1"),
        ("WEBHOOK_URL", "https:///hook"),
        ("WEBHOOK_LISTEN", "8080"),
        ("WEBHOOK_LISTEN", "127.0.0.1:99999"),
        ("WEBHOOK_LISTEN", "::1:8080"),
        ("OPS_LISTEN", "9090"),
        ("OPS_LISTEN", "127.0.0.1:99999"),
        ("WEBHOOK_SECRET", "not a secret"),
        ("WEBHOOK_SECRET", "x" * 257),
        ("DAILY_TZ", "Europe/Berln"),
        ("DAILY_TZ", "Europe"),
        ("DAILY_TZ", "../../etc/passwd"),
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


def test_an_unknown_time_zone_is_told_what_a_name_looks_like(monkeypatch):
    # given
    monkeypatch.setenv("DAILY_TZ", "CEST")

    # then
    with pytest.raises(
        BadSettings, match=r"^DAILY_TZ: there is no such time zone; take a name like Europe/Berlin"
    ):
        read_settings(_env_file=None)


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ("127.0.0.1:8080", ("127.0.0.1", 8080)),
        ("[::1]:80", ("::1", 80)),
        ("bot.internal:0", ("bot.internal", 0)),
    ],
)
def test_where_the_webhook_listens_is_a_host_and_a_port(monkeypatch, value, where):
    monkeypatch.setenv("WEBHOOK_LISTEN", value)
    assert read_settings(_env_file=None).listen_on == where


@pytest.mark.parametrize(
    ("value", "where"), [("", None), ("127.0.0.1:9090", ("127.0.0.1", 9090)), ("[::1]:0", ("::1", 0))]
)
def test_operators_are_answered_where_an_address_is_set(monkeypatch, value, where):
    monkeypatch.setenv("OPS_LISTEN", value)
    assert read_settings(_env_file=None).ops_on == where


def test_the_secret_of_the_webhook_is_in_no_representation_and_no_log_line(monkeypatch):
    # given
    monkeypatch.setenv("WEBHOOK_SECRET", "aSecretOfThisTest")
    settings = read_settings(_env_file=None)

    # then
    assert "aSecretOfThisTest" not in repr(settings)
    assert "aSecretOfThisTest" in secrets_of(settings)


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
