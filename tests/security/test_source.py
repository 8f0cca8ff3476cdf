"""What the source never does: run what it was given, unpack what it was sent, write a value into a statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("codemojex", "emq", "alembic") for path in (ROOT / folder).rglob("*.py"))

# Modules that make objects or code of bytes.
UNPACKERS = {
    "pickle",
    "cPickle",
    "_pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "yaml",
    "code",
}
RUNNERS = {"eval", "exec", "compile", "__import__", "execfile"}
SHELLS = {("os", "system"), ("os", "popen"), ("subprocess", "getoutput"), ("subprocess", "getstatusoutput")}

# Takes the text of a statement.
WORDS = {"text", "literal_column", "exec_driver_sql", "SQL"}
RUNS = {"execute", "executemany", "executescript", "execute_fetchall"}
# Their callers are at the top of the same file and give the condition of an index as it stands there.
INDEXES = {"_partial", "_index"}


def _calls(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, ast.Call]]:
    """Every call, with the function it stands in."""
    for node in ast.iter_child_nodes(tree):
        name = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else inside
        if isinstance(node, ast.Call):
            yield name, node
        yield from _calls(node, name)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def unpacks(tree: ast.AST) -> list[str]:
    """What is imported to make objects of bytes."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append(node.module or "")
    return [name for name in found if name.partition(".")[0] in UNPACKERS]


def runs(tree: ast.AST) -> list[int]:
    """Lines that run text as a program, here or in a shell."""
    found = []
    for _, call in _calls(tree):
        func = call.func
        plain = isinstance(func, ast.Name) and func.id in RUNNERS
        owner = func.value.id if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) else ""
        shell = any(word.arg == "shell" and getattr(word.value, "value", True) for word in call.keywords)
        if plain or shell or (owner, _name(call)) in SHELLS or _name(call) == "create_subprocess_shell":
            found.append(call.lineno)
    return found


def builds(tree: ast.AST) -> list[int]:
    """Lines that put anything but a constant of their file into the text of a statement."""
    imported = {
        each.asname or each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlalchemy")
        for each in node.names
    }
    found = []
    for inside, call in _calls(tree):
        if not call.args or inside in INDEXES:
            continue
        words = call.args[0]
        if _takes_words(call, imported) or (_name(call) in RUNS and _made_of_parts(words)):
            values = {node.id for node in _parts(words) if isinstance(node, ast.Name)}
            if any(not value.isupper() and value != "str" for value in values):
                found.append(call.lineno)
    return found


def _takes_words(call: ast.Call, imported: set[str]) -> bool:
    name = _name(call)
    if isinstance(call.func, ast.Name):
        return name in WORDS and name in imported
    owner = getattr(getattr(call.func, "value", None), "id", "")
    return name == "exec_driver_sql" or (name in WORDS and owner in ("sa", "sqlalchemy", "sql"))


def _made_of_parts(words: ast.AST) -> bool:
    """Whether a text is put together here: an f-string, a format, a sum. A driver that quotes names may do so."""
    return any(
        isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.Add))
        or (
            isinstance(node, ast.Call)
            and _name(node) in ("format", "join", "format_map")
            and not _quotes(node)
        )
        for node in _parts(words)
    )


def _quotes(call: ast.Call) -> bool:
    """``sql.SQL(…).format(…)`` of psycopg, whose own words are looked at by themselves."""
    made = getattr(call.func, "value", None)
    return isinstance(made, ast.Call) and _name(made) == "SQL"


def _parts(words: ast.AST) -> Iterator[ast.AST]:
    """Everything a text is made of; not what decides between two of them."""
    yield words
    inner = [words.body, words.orelse] if isinstance(words, ast.IfExp) else ast.iter_child_nodes(words)
    for node in inner:
        yield from _parts(node)


def _everywhere(look) -> dict[str, list[object]]:
    found = {str(path.relative_to(ROOT)): look(ast.parse(path.read_text("utf-8"))) for path in FILES}
    return {path: lines for path, lines in found.items() if lines}


def test_nothing_makes_objects_of_bytes():
    assert _everywhere(unpacks) == {}


def test_nothing_runs_text_as_a_program():
    assert _everywhere(runs) == {}


def test_values_reach_a_statement_as_bound_parameters_only():
    assert _everywhere(builds) == {}


def test_secrets_are_compared_in_constant_time():
    for file, name in (("bot/webhook.py", "_check_secret"), ("web/gate.py", "check")):
        tree = ast.parse((ROOT / "codemojex" / file).read_text("utf-8"))
        calls = [_name(call) for inside, call in _calls(tree) if inside == name]
        assert "compare_digest" in calls, file


def test_no_handler_steers_the_queue():
    for path in (ROOT / "codemojex/bot").rglob("*.py"):
        names = {getattr(node, "module", "") or "" for node in ast.walk(ast.parse(path.read_text("utf-8")))}
        assert not names & {"emq", "codemojex.guess_lanes", "codemojex.repair"}, path


@pytest.mark.parametrize(
    ("look", "source"),
    [
        (unpacks, "import pickle"),
        (unpacks, "from marshal import loads"),
        (runs, "eval(words)"),
        (runs, "subprocess.run(words, shell=True)"),
        (runs, "os.system(words)"),
        (builds, "tx.execute(f'DELETE FROM x WHERE id = {id}')"),
        (builds, "tx.execute('DELETE FROM x WHERE id = ' + id)"),
        (builds, "tx.execute('DELETE FROM x WHERE id = %s' % id)"),
        (builds, "tx.execute('DELETE FROM {}'.format(name))"),
        (builds, "from sqlalchemy import text\ntext(words)"),
        (builds, "sa.text(f'{words}')"),
        (builds, "connection.exec_driver_sql(words)"),
        (builds, "connection.exec_driver_sql('BEGIN' if new else words)"),
        (builds, "sql.SQL(words).format(sql.Identifier(name))"),
    ],
)
def test_what_is_looked_for_is_found(look, source):
    assert look(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "tx.execute(select(x).where(x.c.id == id))",
        "tx.execute(text('SELECT :id'), {'id': id})",
        "cursor.execute(f'SET a = {LIMIT}')",
        "cursor.execute('SELECT %s', (id,))",
        "connection.exec_driver_sql('BEGIN' if new else 'END')",
        "connection.execute(sql.SQL('DROP TABLE {}').format(sql.Identifier(name)))",
    ],
)
def test_what_is_right_is_let_through(source):
    assert builds(ast.parse(source)) == []
