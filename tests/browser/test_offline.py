"""One file, and nothing else: the page asks nobody for anything."""

import re

from tests.browser.shown import Shown


def test_the_file_makes_no_request_at_all(browser, groot_page):
    """From opening over another text, every part of the tour and a click to a reload.

    The tab could reach a network: what it asks for would be seen.
    """
    context = browser.new_context()
    tab = context.new_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    shown = Shown(tab, groot_page.address)
    shown.open(text="groot we am")
    chapter = tab.get_by_role("combobox", name="Chapter")
    for part in range(chapter.locator("option").count()):
        chapter.select_option(str(part))
    shown.open(text="groot we am", show="blocks.0.attn.pattern")
    shown.click("blocks.0.attn.pattern", (0, 3, 1))
    tab.reload()
    shown.explained("blocks.0.attn.pattern", (0, 3, 1))
    context.close()
    elsewhere = [url for url in asked if not url.startswith((groot_page.address, "blob:", "data:"))]
    assert set(elsewhere) <= {"about:blank"}


def test_it_names_no_address_to_load_from(groot_page):
    """No source, style, font or script from elsewhere; links are for people to follow."""
    page = groot_page.file
    assert not re.findall(r"""<[^>]*\b(?:src|srcset|poster)\s*=\s*["']?(?:https?:)?//""", page)
    assert not re.findall(r"""<link\b[^>]*href=["']?(?:https?:)?//""", page)
    assert not re.findall(r"""url\(\s*["']?(?:https?:)?//""", page)
    assert not re.findall(r"@import\b", page)


def test_it_may_not_reach_a_network_even_if_it_wanted_to(browser, groot_page):
    """Its own policy forbids it."""
    context = browser.new_context()
    tab = context.new_page()
    Shown(tab, groot_page.address).open()
    refused = tab.evaluate(
        """() => fetch('http://127.0.0.1:9/').then(() => 'answered', error => error.message)"""
    )
    policy = tab.evaluate(
        """() => new Promise(resolve => {
            const told = violation => resolve(violation.effectiveDirective);
            document.addEventListener('securitypolicyviolation', told);
            setTimeout(() => resolve(''), 2000);
            fetch('http://127.0.0.1:9/').catch(() => {}); })"""
    )
    context.close()
    assert refused == "Failed to fetch"
    assert policy == "connect-src"
