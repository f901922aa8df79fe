"""The site of docs/ builds without a warning, loads nothing from elsewhere, and has sound links."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

from tests.support.paths import ROOT
from tests.support.site import build_site

LOADING = {"src", "srcset", "data", "poster", "action", "background"}
"""Attributes by which an element makes a browser load something; `href` of a link does too."""

OUTSIDE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]


class Page(HTMLParser):
    """Addresses on a built page.

    Attributes:
        loaded: addresses that a browser asks for by itself.
        links: addresses that a reader may follow.
        anchors: places on the page that an address may name.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.loaded += [given[name] for name in LOADING & given.keys()]
        if "href" in given:
            (self.links if tag == "a" else self.loaded).append(given["href"])
        self.anchors |= {given[name] for name in ("id", "name") if name in given}


class Site(NamedTuple):
    """A built site: its folder, and its pages by file."""

    folder: Path
    pages: dict[Path, Page]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site as `make site` builds it."""
    folder = build_site(tmp_path_factory.mktemp("site"))
    files = sorted(folder.rglob("*.html"))
    return Site(folder, {file: Page(file) for file in files})


@pytest.mark.long
def test_every_page_is_in_the_site(site: Site) -> None:
    sources = {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")}
    built = {file.relative_to(site.folder).with_suffix(".md") for file in site.pages}
    assert sources < built


@pytest.mark.long
def test_pages_load_nothing_from_other_sites(site: Site) -> None:
    loaded = [address for page in site.pages.values() for address in page.loaded]
    assert len(loaded) > len(site.pages)
    assert [address for address in loaded if urlsplit(address).netloc] == []
    for style in site.folder.rglob("*.css"):
        addresses = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", style.read_text("utf-8"))
        assert [address for address in addresses if urlsplit(address).netloc] == [], style.name


def broken(file: Path, links: list[str], site: Site) -> Iterator[str]:
    """List the links of a page that lead to no file or to no place on it."""
    for link in links:
        address = urlsplit(link)
        if not address.scheme:
            target = (file.parent / unquote(address.path)).resolve() if address.path else file
            place = unquote(address.fragment)
            if not target.is_file() or (place and place not in site.pages[target].anchors):
                yield f"{file.name}: {link}"


@pytest.mark.long
def test_every_link_of_the_site_leads_somewhere(site: Site) -> None:
    broken_links = [
        link for file, page in site.pages.items() for link in broken(file, page.links, site)
    ]
    assert broken_links == []


def links_of(file: Path) -> list[str]:
    """Return the addresses of links and pictures of a page in Markdown."""
    tokens = [
        token
        for block in MarkdownIt().parse(file.read_text("utf-8"))
        for token in block.children or []
    ]
    addresses = [token.attrGet("href") or token.attrGet("src") for token in tokens]
    return [str(address) for address in addresses if address]


@pytest.mark.parametrize("file", OUTSIDE, ids=lambda file: file.name)
def test_every_link_outside_the_site_leads_somewhere(file: Path) -> None:
    for address in map(urlsplit, links_of(file)):
        if not address.scheme:
            assert (ROOT / address.path).exists(), address
