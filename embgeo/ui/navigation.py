"""Which pages there are, and links to them that keep what is chosen.

Streamlit's own navigation drops what stands behind the question mark. Putting it back makes a
second entry in the browser's history, and going back would take two presses; these links carry it.
"""

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from embgeo.ui import session
from embgeo.ui.links import to_query

_LONGEST = 4_000
_PAGES = Path(__file__).parents[2] / "pages"


def _pages() -> dict[str, list[StreamlitPage]]:
    """The pages by section, in reading order."""

    def page(name: str, title: str, default: bool = False, hidden: bool = False) -> StreamlitPage:
        return st.Page(
            _PAGES / f"{name}.py",
            title=title,
            default=default,
            url_path="" if default else name,
            visibility="hidden" if hidden else "visible",
        )

    return {
        "Compare": [
            page("overview", "Overview", default=True),
            # The default page has no path of its own, but a person may well type one.
            page("overview", "Overview", hidden=True),
            page("group_similarity", "Group similarity"),
        ],
        "One table": [
            page("token_lookup", "Token lookup"),
            page("norms", "Norms"),
            page("isotropy", "Isotropy"),
            page("spectrum", "Spectrum"),
            page("model_sizes", "Size"),
        ],
        "Change it": [page("whitening", "Whitening")],
    }


def register() -> StreamlitPage:
    """Tell Streamlit which pages there are; the one that the address names."""
    return st.navigation(_pages(), position="hidden")


def draw() -> None:
    """The pages by section, as links."""
    query = _query()
    with st.container(key="navigation", gap="xsmall"):
        for section, pages in _pages().items():
            st.caption(section)
            for page in pages:
                if page.visibility == "visible":
                    st.page_link(page, width="stretch", query_params=query)


def _query() -> dict[str, str] | None:
    """What is chosen, where that is not long: it is sent with every link."""
    query = to_query(session.choices())
    return query if sum(map(len, query.values())) <= _LONGEST else None


def link(name: str, title: str) -> None:
    """A link to a page from within another."""
    st.page_link(
        f"pages/{name}.py",
        label=title,
        icon=":material/arrow_forward:",
        query_params=_query(),
    )
