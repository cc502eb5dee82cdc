"""One page of the dashboard under AppTest: controls by visible label, contents as they are sent."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
"""Every page there is on disk: a new one is tested without being named here."""

NOTICES = ("error", "warning", "info")


@dataclass
class Opened:
    """A page that has run, and may run again."""

    app: AppTest

    def go(self, page: str) -> "Opened":
        """Switch to another page, as the sidebar's navigation does."""
        self.app.switch_page(f"pages/{page}.py").run()
        return self

    def control(self, kind: str, label: str) -> Any:
        """The widget of a kind ("toggle", "selectbox", …) that a person knows by this label."""
        found = [each for each in self.app.get(kind) if each.label == label]
        assert len(found) == 1, f"{kind} {label!r}: {[each.label for each in self.app.get(kind)]}"
        return found[0]

    def set(self, kind: str, label: str, value: object) -> "Opened":
        """Change a control and let the page answer."""
        self.control(kind, label).set_value(value).run()
        return self

    def press(self, label: str) -> "Opened":
        """Press a button and let the page answer."""
        self.control("button", label).click().run()
        return self

    @property
    def offer(self) -> str:
        """The button that agrees to read a table from a hub: "Read 2.57 MB"."""
        [found] = [each.label for each in self.app.get("button") if each.label.startswith("Read ")]
        return str(found)

    def add_model(self, source: object) -> "Opened":
        """Type a source into the field for it, and add it where that is offered."""
        self.type_model(source)
        for button in self.app.get("button"):
            if button.key == "_add typed":
                button.click().run()
        return self

    def type_model(self, text: object) -> "Opened":
        """Type into the field for a model."""
        return self.set("text_input", "Model", str(text))

    @property
    def picker(self) -> str:
        """What the sidebar says, its buttons among it, as a person reads it."""
        texts = [str(each.value) for kind in ("caption", "error") for each in self._aside(kind)]
        texts += [each.label for each in self._aside("button")]
        return re.sub(r"\\(.)", r"\1", "\n".join(texts))

    def write_group(self, name: str, entries: str) -> "Opened":
        """Put the first group's entries and name aside for these."""
        self.control("text_input", "Name").set_value(name)
        self.control("text_area", "Entries, one a line").set_value(entries)
        return self.press("Apply")

    @property
    def query(self) -> dict[str, str]:
        """The address's parameters."""
        return {name: str(value) for name, value in self.app.query_params.items()}

    @property
    def models(self) -> list[str]:
        """The models chosen in the sidebar."""
        return list(self.control("multiselect", "Models").value)

    @property
    def groups(self) -> list[str]:
        """The token groups chosen in the sidebar."""
        return list(self.control("multiselect", "Token groups").value)

    @property
    def charts(self) -> dict[str, dict[str, Any]]:
        """Specification of every chart, by what it says to those who do not see it."""
        return {each.proto.alt: json.loads(each.proto.spec) for each in self._charts()}

    @property
    def frames(self) -> dict[str, dict[str, pd.DataFrame]]:
        """The data that each chart was sent with, by its name in the specification."""
        return {
            each.proto.alt: {part.name: _frame(part.data.data) for part in each.proto.datasets}
            for each in self._charts()
        }

    @property
    def pictures(self) -> list[str]:
        """What is sent to the components that draw large matrices, as text."""
        return [str(each.proto) for each in self.app.get("bidi_component")]

    @property
    def tables(self) -> list[str]:
        """The tables and lists of literal text, as HTML."""
        return [each.proto.body for each in self.app.main.get("html")]

    @property
    def said(self) -> list[str]:
        """Every Markdown text of the page as it is sent: captions, headings, notices."""
        kinds = ("markdown", "caption", "title", "subheader", *NOTICES)
        return [str(each.value) for kind in kinds for each in self.app.main.get(kind)] + [
            each.label for each in self.app.main.get("expander")
        ]

    @property
    def words(self) -> str:
        """What a person reads of `said`: marks that were escaped are themselves again."""
        return "\n".join(re.sub(r"\\(.)", r"\1", text) for text in self.said)

    @property
    def payload(self) -> int:
        """Bytes of all elements on the page and in its sidebar."""
        nodes = [*self.app.main, *self.app.sidebar]
        return sum(each.proto.ByteSize() for each in nodes if getattr(each, "proto", None))

    def works(self) -> "Opened":
        """Fail where the page raised, or any word of it is a number that is none."""
        assert not self.app.exception, [each.value for each in self.app.exception]
        for text in (*self.said, *self.tables):
            assert "nan" not in text.lower().replace(">", " ").replace("<", " ").split(), text
        return self

    def _aside(self, kind: str) -> list[Any]:
        return list(self.app.sidebar.get(kind))

    def _charts(self) -> list[Any]:
        return list(self.app.get("vega_lite_chart"))


def open_page(page: str = "overview", **query: str) -> Opened:
    """A page in a fresh session, opened by a link with these parameters."""
    app = AppTest.from_file(str(ROOT / "dashboard.py"), default_timeout=90)
    for name, value in query.items():
        app.query_params[name] = value
    return Opened(app).go(page)


def _frame(sent: bytes) -> pd.DataFrame:
    frame: pd.DataFrame = pa.ipc.open_stream(sent).read_pandas()
    return frame
