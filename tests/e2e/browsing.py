"""A person in front of a tab, who finds things by role and visible label."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Locator, Page, Request, expect

from bench.serving import ROOT

PATHS = sorted(
    "" if path.stem == "overview" else path.stem for path in (ROOT / "pages").glob("*.py")
)
"""The address of every page there is on disk."""
PATIENCE = 60_000
"""Milliseconds a busy machine may take for anything."""

HARMLESS = re.compile(r"/_stcore/(health|host-config)$")
"""On a deep link Streamlit seeks its server first under the page's own path, and is told 404."""

_QUIET = """async () => {
  const busy = () => document.querySelector('[data-stale="true"], [data-testid="stProgress"]')
    || !document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    || document.querySelector('[data-testid="stSkeleton"]');
  const until = performance.now() + 60000;
  let since = performance.now();
  while (performance.now() < until) {
    await new Promise(requestAnimationFrame);
    if (busy()) since = performance.now();
    else if (performance.now() - since > 350) return true;
  }
  return false;
}"""
_MARKS = """charts => charts.map(chart => {
  const svg = chart.querySelector('svg'), canvas = chart.querySelector('canvas');
  if (svg) return svg.querySelectorAll('[role="graphics-symbol"], .mark-rect path').length;
  if (!canvas || !canvas.width || !canvas.height) return 0;
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  return new Set(new Uint32Array(pixels.buffer)).size;
})"""

_HOSTS = """[...document.querySelectorAll('link[href], img[src], script[src], source[src]')]
  .map(element => new URL(element.href || element.src, location.href))
  .filter(url => url.protocol.startsWith('http')).map(url => url.hostname)"""


@dataclass
class Person:
    """Somebody in front of one tab, and what the browser complained about."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        self.page.on("request", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not HARMLESS.search(message.location["url"]):
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def _asked(self, request: Request) -> None:
        place = urlsplit(request.url)
        if place.scheme not in {"data", "blob"}:
            self.asked.add(place.hostname or "")

    def named_hosts(self) -> set[str]:
        """Hosts that the page names for what a browser fetches by itself, its icon among them."""
        return set(self.page.evaluate(_HOSTS))

    def open(self, url: str) -> "Person":
        """Go to an address, and wait until the page stands."""
        self.page.goto(url)
        return self.stands()

    def stands(self) -> "Person":
        """Wait until the page has its title and nothing is under way."""
        expect(self.page.get_by_role("heading", level=1)).to_be_visible(timeout=PATIENCE)
        assert self.page.evaluate(_QUIET), "the page never came to rest"
        assert self.page.get_by_test_id("stException").all_inner_texts() == []
        return self

    def charts(self, saying: str) -> Locator:
        """The charts whose description holds this."""
        return self.page.locator(f'[data-testid="stVegaLiteChart"][aria-label*="{saying}"]')

    def marks(self, saying: str) -> list[int]:
        """How much each of these charts draws: its marks, or the colours of a canvas."""
        counts: list[int] = self.charts(saying).evaluate_all(_MARKS)
        return counts

    def numbers(self, saying: str) -> list[str]:
        """What is printed in the cells of a heatmap."""
        printed = self.charts(saying).locator(".mark-text.role-mark text").all_text_contents()
        assert printed
        return printed

    def switch(self, label: str) -> Locator:
        """A toggle."""
        return self.page.get_by_role("switch", name=label)

    def flip(self, label: str) -> "Person":
        """Change a toggle by its words, as the input itself is hidden."""
        self.page.locator("label").filter(has_text=label).click()
        return self

    def press(self, name: str) -> "Person":
        """Press the button with this in its name."""
        self.page.get_by_role("button", name=name).click()
        return self

    def go(self, title: str) -> "Person":
        """Follow the sidebar's navigation."""
        self.pages.get_by_role("link", name=title).click()
        return self

    @property
    def pages(self) -> Locator:
        """The sidebar's navigation."""
        return self.page.locator(".st-key-navigation")

    def pick(self, label: str, option: str) -> "Person":
        """Choose an option of a list."""
        self.page.get_by_role("combobox", name=label).click()
        self.page.get_by_role("option", name=option, exact=True).click()
        return self

    def chosen(self, name: str) -> Locator:
        """The button that takes a chosen model or group out again, there while it is chosen."""
        return self.page.get_by_test_id("stSidebar").get_by_role("button", name=f"Remove {name}")
