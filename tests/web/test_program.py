"""`codemojex play --web` as a program: one line with the address, a page behind it, Ctrl-C, exit code 0."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

from tests.ports import held
from tests.system.test_cli import codemojex

SECRET = "🍎🍌🍇🍓🍒🍍"


def _run(home, *words):
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-m", "codemojex.cli", "play", "--web", *words],
        env={**keep, "CODEMOJEX_HOME": str(home), "PYTHONIOENCODING": "utf-8"},
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _get(url):
    with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 # the address is our own
        return json.load(response)


def _do(url, act, **body):
    request = urllib.request.Request(  # noqa: S310 # the address is our own
        f"{url}do/{act}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        return json.load(response)


def _ended(run):
    run.send_signal(signal.SIGINT)
    said, wrong = run.communicate(timeout=200)
    assert (run.returncode, said, wrong) == (0, "", "")


def _wait_for(url, words):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        texts = [message["text"] for chat in _get(f"{url}state")["chats"] for message in chat["messages"]]
        if any(words in text for text in texts):
            return
        signal.sigtimedwait([], 0.05)
    raise AssertionError(f"nobody said {words!r}: {texts}")


def test_a_page_is_announced_in_one_line_and_everything_is_there_the_next_time(short_folder):
    # given
    with _run(short_folder, "--secret", SECRET) as first:
        line = first.stdout.readline()
        (url,) = re.findall(r"http://127\.0\.0\.1:\d+/[\w-]+/", line)
        state = _get(f"{url}state")
        ada = state["people"][0]["id"]
        _do(url, "start", person=ada, payload="")
        _do(url, "say", person=ada, chat=ada, text="/new")
        _wait_for(url, "guess")

        # when
        _ended(first)

    # then
    assert line.startswith("codemojex: open http://")
    assert [person["name"] for person in state["people"]] == ["Ada", "Bo", "Cy"]
    port = int(re.findall(r"127\.0\.0\.1:(\d+)", line)[0])
    with held(port), _run(short_folder) as second:
        assert second.stdout.readline() == line
        again = _get(f"{url}state")
        assert "/new" in [message["text"] for message in again["chats"][0]["messages"]]
        _do(url, "say", person=ada, chat=ada, text=SECRET)
        _wait_for(url, "That's the code")
        _ended(second)


def test_it_composes_with_the_other_options_and_keeps_nothing_when_asked_to(short_folder):
    # given
    words = ("--ephemeral", "--keyboard", "easy", "--mode", "pegs", "--theme", "animals")
    with _run(short_folder, *words) as run:
        (url,) = re.findall(r"http\S+/", run.stdout.readline())

        # when
        state = _get(f"{url}state")
        _ended(run)

    # then
    assert len(state["symbols"]["keys"]) == 8
    assert state["symbols"]["names"][state["symbols"]["keys"][0]] == "dog"
    assert list(short_folder.iterdir()) == []


def test_an_option_that_cannot_work_is_one_sentence_here_too(short_folder):
    # when
    run = codemojex("play", "--web", "--mode", "chess", home=short_folder, stdin="")

    # then
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
