"""One browser for all, one server for most, and people who must have nothing to complain about."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from e2e.browsing import Person
from playwright.sync_api import Browser, sync_playwright

from bench.serving import Server, serving

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, as the system has it; nothing is downloaded."""
    path = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
    )
    if not path:
        said = "no Chromium found: install it (Debian: apt-get install chromium)"
        if os.environ.get("EMBGEO_REQUIRE_BROWSER") == "1":
            pytest.fail(said, pytrace=False)
        pytest.skip(said)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, headless=True, args=_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A fresh server for the tests of a file."""
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running


@pytest.fixture
def fresh_server(browser: Browser, tmp_path: Path) -> Iterator[Server]:
    """A server that nobody has visited yet."""
    with serving(tmp_path / "log.txt") as running:
        yield running


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Person]]:
    """Let a new person in, with a browser of their own; in the end none has seen an error."""
    people: list[Person] = []

    def enter(width: int = 1400, scheme: str = "light") -> Person:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        people.append(Person(context.new_page()))
        return people[-1]

    yield enter
    for person in people:
        named = person.named_hosts()
        person.page.context.close()
        assert person.complaints == []
        assert person.asked | named <= {"127.0.0.1"}, "a request left the machine, or would"


@pytest.fixture
def person(visit: Callable[..., Person]) -> Person:
    """Somebody who has just opened a browser."""
    return visit()
