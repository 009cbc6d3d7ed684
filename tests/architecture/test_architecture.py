"""The house law, kept by tests: where private values are opened, what is exported, what is proved and documented."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture.trees import SOURCE, files, nodes, source, tree_of

import equipoise
from equipoise.audit.frozen.recorder import Recorder
from equipoise.gate import MECHANISMS
from equipoise.theory.mechanisms import about

ROOT = Path(__file__).parents[2]
PUBLIC = [
    "equipoise",
    "equipoise.answering",
    "equipoise.audit",
    "equipoise.calibration",
    "equipoise.stability",
    "equipoise.tuning",
]


def modules() -> list[str]:
    return [found.name for found in pkgutil.walk_packages([str(SOURCE)], prefix="equipoise.")]


def with_examples() -> list[str]:
    """Modules that show how they are used; at least those a newcomer meets first."""
    paths = {name: SOURCE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in modules()}
    found = [name for name, path in paths.items() if path.is_file() and ">>>" in path.read_text(encoding="utf-8")]
    assert len(found) >= 10
    return found


def test_the_import_law_holds() -> None:
    script = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([str(script), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


DOOR = SOURCE / "gate" / "door.py"
TAPS = SOURCE / "audit" / "frozen" / "taps.py"
"""Opens the values of synthetic tables, while a replay lasts."""


def attributes(path: Path, name: str) -> list[ast.Attribute]:
    """Every place where `.name` is taken of something, called or not."""
    return [node for node in nodes(source(path)) if isinstance(node, ast.Attribute) and node.attr == name]


BY_NAME = {"reveal", "map", "meet"}


def texts(path: Path) -> set[str]:
    constants = [node.value for node in nodes(source(path)) if isinstance(node, ast.Constant)]
    return {value for value in constants if isinstance(value, str)}


def test_only_the_door_opens_private_values() -> None:
    opens = {path for path in files() if attributes(path, "reveal")}
    assert opens == {DOOR, TAPS}
    mangled = [path for path in files() if "_Private__value" in source(path)]
    assert not mangled
    named = [path for path in files() if BY_NAME & texts(path)]
    assert not named, "getattr would find it"


def test_the_door_checks_payment_before_it_opens() -> None:
    """In every verb: `check_paid` comes first, or the value is opened by another verb."""
    verbs = [node for node in tree_of(source(DOOR)).body if isinstance(node, ast.FunctionDef)]
    opening = [verb for verb in verbs if "reveal" in ast.unparse(verb)]
    assert len(opening) >= 7
    for verb in opening:
        first = next(place for place in verb.body if not isinstance(place, ast.Expr) or not _is_text(place))
        called = ast.unparse(first)
        assert (
            called in ("check_paid(entry, event)", "check_choice_paid(entry, event)")
            or "draw_tilt(noise, plan.event, entry, bits).reveal()" in called
        ), f"door.{verb.name}: opens before it checks"


def _is_text(statement: ast.Expr) -> bool:
    return isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)


def test_only_inside_computes_on_private_values() -> None:
    """`Private.map` and `meet` take any function, so nobody else may hand them one."""
    for path in files():
        if path.is_relative_to(SOURCE / "inside"):
            continue
        receivers = {ast.unparse(node.value) for name in ("map", "meet") for node in attributes(path, name)}
        assert not receivers - {"pool", "table[name]"}, path  # threads of the noise audit, a pandas column


MUTES = {
    "append",
    "extend",
    "insert",
    "add",
    "update",
    "setdefault",
    "put",
    "write",
    "send",
    "__setitem__",
    "setattr",
    "tofile",
    "save",
    "savetxt",
    "dump",
    "put_nowait",
    "warn",
    "debug",
    "info",
    "warning",
    "error",
}
TELLS = {"print", "setattr", "open", "exec", "eval"}


def test_no_function_handed_to_a_private_value_keeps_it() -> None:
    """What `map` and `meet` are given is a function of this very file that writes nothing outside itself."""
    seen = 0
    for path in (SOURCE / "inside").rglob("*.py"):
        parts = nodes(source(path))
        local = {node.name: node for node in parts if isinstance(node, ast.FunctionDef)}
        for call in parts:
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            if call.func.attr not in ("map", "meet"):
                continue
            seen += 1
            function = call.args[-1]
            where = f"{path.name}:{call.lineno}"
            named = isinstance(function, ast.Name) and function.id in local
            pure = ast.unparse(function).startswith("np.")
            assert isinstance(function, ast.Lambda) or named or pure, f"{where}: hands over what it did not write"
            body = local[function.id] if isinstance(function, ast.Name) and named else function
            assert not keeps(body), f"{where}: the function keeps what it is given"
    assert seen > 20


def keeps(function: ast.AST) -> bool:
    """Whether it writes to anything that it did not make: a name of an outer scope, an attribute, a container."""
    own = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(function):
        if isinstance(node, ast.Global | ast.Nonlocal | ast.NamedExpr | ast.Yield | ast.YieldFrom):
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            target = node.value
            if not isinstance(target, ast.Name) or target.id not in own:
                return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTES:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TELLS:
            return True
    return False


@pytest.mark.parametrize(
    "text",
    [
        "lambda x: out.append(x)",
        "lambda x: (kept := x)",
        "lambda x: cache.update(a=x)",
        "lambda x: setattr(self, 'seen', x)",
        "lambda x: print(x)",
        "lambda x: np.save('file', x)",
        "def f(x):\n    global g\n    g = x",
        "def f(x):\n    self.seen = x",
        "def f(x):\n    out[0] = x",
    ],
)
def test_a_function_that_keeps_the_value_is_noticed(text: str) -> None:
    assert keeps(ast.parse(text).body[0])
    assert not keeps(ast.parse("def f(x):\n    y = x + 1\n    y[0] = 2\n    return y").body[0])


def test_the_recorder_taps_the_door_and_nothing_else() -> None:
    functions, methods = Recorder().taps()
    assert all(function.__module__ == "equipoise.gate.door" for function in functions)
    assert {name for _, name in methods} == {"words"}
    opening = {"add_noise", "keep_frequent", "choose", "vote", "flip", "sample", "settle", "tilt", "compare"}
    assert {function.__name__ for function in functions} == opening


def test_only_the_noise_folder_asks_for_random_bits() -> None:
    wild = re.compile(r"np\.random|default_rng|urandom|\bsecrets\b|import random\b")
    allowed = {
        SOURCE / "gate" / "noise" / "bits.py",
        SOURCE / "cohort.py",  # simulates patients
        SOURCE / "cli" / "demo" / "study.py",  # splits them
        SOURCE / "_writing.py",  # names temporary files
        SOURCE / "inside" / "strangers" / "generators.py",  # sets those of strangers, draws from none
    }
    for path in set(files()) - allowed:
        code = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.S)
        assert not wild.search(code), path


def test_from_the_debit_on_nothing_is_seen() -> None:
    """Warnings and numpy's settings would tell of records: whoever debits works unseen, or among strangers apart."""
    for path in sorted((SOURCE / "estimators").rglob("*.py")):
        for line in source(path).splitlines():
            if line.lstrip().startswith("with ") and ".reserve(" in line:
                assert re.search(r"(unseen|apart)\(\)", line), f"{path.name}: {line.strip()}"


def test_nothing_is_pickled_to_disk() -> None:
    assert not [path for path in files() if "pickle.load" in path.read_text(encoding="utf-8")]


def written_by_itself(raised: ast.Raise) -> list[ast.AST]:
    """Where an error's message has a value's own `repr`."""
    inside = list(ast.walk(raised))
    converted = [node for node in inside if isinstance(node, ast.FormattedValue) and node.conversion == ord("r")]
    called = [node for node in inside if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "repr"]
    return [*converted, *called]


def test_errors_write_no_value_by_its_own_text() -> None:
    """It may be a table's, of many lines, or too long to be written: `shown` and `quoted` of `_checks` know."""
    errors = [
        (path.name, node.lineno)
        for path in files()
        for node in nodes(source(path))
        if isinstance(node, ast.Raise) and "AttributeError" not in ast.dump(node) and written_by_itself(node)
    ]
    assert not errors


@pytest.mark.parametrize("name", PUBLIC)
def test_star_import_gives_exactly_the_public_names(name: str) -> None:
    module = importlib.import_module(name)
    scope: dict[str, object] = {}
    exec(f"from {name} import *", scope)
    assert set(module.__all__) == set(scope) - {"__builtins__"}
    assert len(set(module.__all__)) == len(module.__all__)


def test_every_module_imports() -> None:
    names = modules()
    assert len(names) > 100  # an empty walk would pass
    for name in names:
        assert importlib.import_module(name).__doc__, f"{name}: says nothing of itself"


def test_every_public_function_and_class_says_what_it_promises() -> None:
    seen = 0
    for path in files():
        for node in tree_of(source(path)).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                seen += 1
                assert ast.get_docstring(node), f"{path.name}: {node.name} promises nothing"
    assert seen > 500


def test_every_mechanism_has_a_proof_page_and_states_its_guarantee() -> None:
    for name, option in MECHANISMS.items():
        module = importlib.import_module(option.plan.__module__)
        assert getattr(module, "MECHANISM", None) is option, "a mechanism's file ends with its description"
        assert option.about is about(name)
        assert option.about.proof in (module.__doc__ or "")
        text = module.__doc__ or ""
        assert re.search(r"docs/proofs/\w+\.md", text), f"{name}: names no proof page"
        for heading in ("Guarantee.", "Assumes.", "Adjacency.", "Numerics.", "Reference."):
            assert heading in text, f"{name}: {heading}"


def test_proof_pages_named_in_the_source_exist() -> None:
    for path in files():
        for name in re.findall(r"docs/[\w/.-]+\.md", path.read_text(encoding="utf-8")):
            assert (ROOT / name).is_file(), f"{path.name} names {name}"


def test_constants_are_multiplied_in_one_place() -> None:
    """No other file divides by n·α: that would be a second home for sensitivities."""
    pattern = re.compile(r"(alpha|strong_convexity)\s*\*\s*\w*\.?n\b|\bn\s*\*\s*\w*\.?(alpha|strong_convexity)")
    allowed = {"sensitivity.py"}
    culprits = [
        path.name
        for path in files()
        if path.name not in allowed and re.search(r"/\s*\(" + pattern.pattern, path.read_text(encoding="utf-8"))
    ]
    assert not culprits


def test_files_and_functions_stay_short() -> None:
    for path in files():
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 300, path
        for node in nodes(text):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                told = (ast.get_docstring(node, clean=False) or "").count("\n")  # parameters need their lines
                assert node.end_lineno - node.lineno - told <= 60, f"{path.name}: {node.name}"


@pytest.mark.parametrize("name", with_examples())
def test_docstring_examples_run(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0
    assert failed == 0


def test_readme_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    assert blocks, "the README has no example"
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_readme_names_the_two_commands_ci_runs() -> None:
    readme, ci = (ROOT / "README.md").read_text(encoding="utf-8"), (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "make demo" in readme
    assert "make test" in readme
    assert "make test" in ci
    assert "make check" in ci


def test_the_version_is_stated_once() -> None:
    assert f'version = "{equipoise.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
