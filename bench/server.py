"""What a changed control costs the server, and how much a page sends, beside an empty page.

Run from the project's root: ``python -m bench.server``. Each control is changed back and forth on
a page whose tables are known, without a browser, and timed from the change until the script has
ended; bytes are those that a browser receives over its websocket until the page it opened stands.
A changed control must be answered in 0.3 s, a page stay under 500 kB.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from bench.serving import DASHBOARD, serving

TIMES = 9
MOST_SECONDS = 0.3
MOST_BYTES = 500_000
EMPTY = "import streamlit as st\n\nst.toggle('x', key='_x 0')\n"


@dataclass(frozen=True)
class Control:
    """A control of a page by what it changes, and the two values it changes between."""

    page: str
    name: str
    values: tuple[object, object]


CONTROLS = (
    Control("overview", "groups", (["punctuation", "english"], ["punctuation", "english", "code"])),
    Control("overview", "models", (["minilm"], ["minilm", "smollm2"])),
    Control("group_similarity", "minus_floor", (True, False)),
    Control("group_similarity", "cell", (("english", "code"), ())),
    Control("group_similarity", "spacing", ("space", "typed")),
    Control("group_similarity", "groups", (["days", "months"], ["punctuation", "english", "code"])),
    Control("norms", "relative", (False, True)),
    Control("norms", "groups", (["days", "months"], ["punctuation", "english", "code"])),
    Control("whitening", "transform", ("centred", "whitened")),
    Control("whitening", "groups", (["days", "months"], ["punctuation", "english", "code"])),
)


def main() -> int:
    """Print a line for every control and every page; 1 where one takes or sends too much."""
    empty = seconds(AppTest.from_string(EMPTY).run(), "x", (True, False))
    print(f"{'page':<17} {'control':<13} {'median':>8} {'most':>7} {'/ empty':>8}   seconds")
    print(f"{'an empty page':<17} {'x':<13} {median(empty):>8.3f} {max(empty):>7.3f} {1:>8}")
    slow = 0
    for control in CONTROLS:
        took = seconds(_opened(control.page), control.name, control.values)
        ratio = median(took) / median(empty)
        slow += median(took) >= MOST_SECONDS
        print(
            f"{control.page:<17} {control.name:<13} "
            f"{median(took):>8.3f} {max(took):>7.3f} {ratio:>8.0f}"
        )
    large = _print_bytes(list(dict.fromkeys(control.page for control in CONTROLS)))
    print(
        f"\n{slow} controls take {MOST_SECONDS} s or more, "
        f"{large} pages send {MOST_BYTES:,} bytes or more."
    )
    return int(slow + large > 0)


def seconds(app: AppTest, name: str, values: tuple[object, object]) -> list[float]:
    """How long the page took to answer each change; both values have been seen before."""
    took = []
    for at in range(2 + TIMES):
        widget: Any = app.get_by_key(f"_{name} 0")  # its own changes make no other of it
        widget.set_value(values[at % 2])
        begun = time.perf_counter()
        widget.run()
        took.append(time.perf_counter() - begun)
        assert not app.exception, app.exception
    return took[2:]


def _opened(page: str) -> AppTest:
    """A page under AppTest, once all it shows is known for both of any control's values."""
    app = AppTest.from_file(str(DASHBOARD), default_timeout=120)
    app.switch_page(f"pages/{page}.py").run()
    return _settled(app)


def _settled(app: AppTest) -> AppTest:
    while app.get("progress"):
        app.run()
    return app


def _print_bytes(pages: Sequence[str]) -> int:
    print(f"\n{'page':<17} {'bytes':>9}   received when it is opened")
    large = 0
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder, "log")) as server:
        for page in pages:
            name = "" if page == "overview" else page
            received(server.address, name)  # the first visit reads the tables
            size = received(server.address, name)
            large += size >= MOST_BYTES
            print(f"{page:<17} {size:>9,}")
    return large


def received(address: str, page: str) -> int:
    """Bytes that a new session is sent until its page stands."""
    wanted = BackMsg()
    wanted.rerun_script.page_name = page
    total, runs = 0, 0
    with connect(
        address.replace("http", "ws") + "/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
    ) as socket:
        socket.send(wanted.SerializeToString())
        while True:
            frame = socket.recv(timeout=120)
            assert isinstance(frame, bytes)
            total += len(frame)
            message = ForwardMsg.FromString(frame)
            runs += message.WhichOneof("type") == "script_finished"
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY and runs:
                return total


if __name__ == "__main__":
    sys.exit(main())
