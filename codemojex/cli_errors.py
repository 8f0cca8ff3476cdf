"""What the `codemojex` command says when it fails: a line on stderr for each thing that is wrong, and an exit code."""

from __future__ import annotations

from typing import NoReturn

import typer
from typer.exceptions import TyperException

from codemojex.settings import BadSettings


def run(app: typer.Typer) -> None:
    """Run a command line; leaves by SystemExit where there is anything to say.

    Exit codes: 1 for an error, 2 for a command line that cannot be understood, 130 for Ctrl-C.
    """
    try:
        code = app(standalone_mode=False, prog_name="codemojex")
    except typer.Abort:
        raise SystemExit(130) from None
    except TyperException as error:
        _misused(error)
    except Exception as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        _fail(sentence, 1)
    if isinstance(code, int) and code:
        raise SystemExit(code)


def _misused(error: TyperException) -> NoReturn:
    """A command line that cannot be understood; without any words, the help was shown already."""
    said = getattr(error, "format_message", lambda: str(error))()
    context, code = getattr(error, "ctx", None), getattr(error, "exit_code", 2)
    if not said:
        raise SystemExit(code)
    path = "codemojex" if context is None else context.command_path
    _fail(
        f"{' '.join(said.split()).rstrip('.')}. `{path} --help` says what there is.".replace("?.", "?"), code
    )


def _sentence(error: Exception) -> str | None:
    """What a person needs to read instead of a traceback; None for what nobody foresaw."""
    from telegram.error import InvalidToken

    import emq
    from codemojex.store.errors import StoreError

    if isinstance(error, InvalidToken):
        # The library's own text quotes the token.
        return "TELEGRAM_TOKEN: Telegram rejects this token. Ask @BotFather for the current one."
    if isinstance(error, BadSettings | emq.EmqError | StoreError):
        return str(error)
    if isinstance(error, OSError) and error.errno is not None:
        where = f": {error.filename}" if error.filename else ""
        return f"the system refuses: {error.strerror}{where}. Make room or give access, and start again."
    return None


def _fail(sentences: str, code: int) -> NoReturn:
    for sentence in sentences.splitlines():
        typer.echo(f"codemojex: {sentence}", err=True)
    raise SystemExit(code)
