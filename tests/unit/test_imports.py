"""What importing costs: the core does without streamlit, and the first frame without torch."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPTS = [ROOT / "dashboard.py", *sorted((ROOT / "pages").glob("*.py"))]
HEAVY = {"numpy", "pandas", "streamlit", "torch", "transformers"}
LATER = {"altair", "pandas", "torch", "transformers"}
"""What a page imports only once its title and sidebar are on their way to the browser."""


def modules(*, of_ui: bool) -> list[str]:
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in ROOT.glob("embgeo/**/*.py")
    }
    return sorted(name for name in names if name.startswith("embgeo.ui") == of_ui)


def import_statements(script: Path) -> list[str]:
    tree = ast.walk(ast.parse(script.read_text(encoding="utf-8")))
    return [ast.unparse(node) for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]


def python(*statements: str) -> str:
    code = "\n".join(statements)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def loaded_by(*imports: str) -> set[str]:
    return set(python(*imports, "import sys", "print(*sys.modules)").split())


def test_importing_embgeo_loads_nothing_heavy() -> None:
    assert not HEAVY & loaded_by("import embgeo")


def test_the_core_does_without_streamlit() -> None:
    core = modules(of_ui=False)
    assert {"embgeo.tables", "embgeo.views.records"} <= set(core)
    assert "streamlit" not in loaded_by(*(f"import {name}" for name in core))


def test_the_title_is_there_before_the_libraries_of_charts_and_models() -> None:
    ui = modules(of_ui=True)
    assert "embgeo.ui.frame" in ui
    loaded = loaded_by(*(f"import {name}" for name in ui))
    assert not LATER & loaded


def test_what_pages_import_does_without_them_too() -> None:
    imports = [statement for script in SCRIPTS for statement in import_statements(script)]
    assert "import streamlit as st" in imports
    assert not LATER & loaded_by(*imports)


def test_every_module_imports_only_what_it_may() -> None:
    python(
        "from importlinter.cli import lint_imports",
        "raise SystemExit(lint_imports(no_cache=True, no_logo=True))",
    )
