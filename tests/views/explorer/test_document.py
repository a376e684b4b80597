"""The document: its data come out as they went in, and its policy lets nothing else run."""

import base64
import hashlib
import json
import re

import pytest

import pellucid
from pellucid.views.explorer import to_page
from pellucid.views.explorer.document import NOTEBOOK, document, is_document, policy

HOSTILE = "</script><script>alert(1)</script><!-- \u2028 ' \" & $& $1 \\1 🌱 ‮שלום"


def page(**more):
    return document({"server": "", "title": HOSTILE, **more})


def test_what_a_text_holds_stays_a_text():
    written = page()
    _, after = written.split('id="pellucid-page">')
    data, _, _ = after.partition("</script>")
    assert json.loads(data)["title"] == HOSTILE
    assert "alert(1)</script>" not in written


def test_the_policy_names_the_pages_own_script_by_its_hash():
    written = page()
    scripts = re.findall(r'<script type="module"[^>]*>(.*?)</script>', written, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    rules = dict(rule.split(" ", 1) for rule in policy(written).split("; "))
    assert rules["script-src"] == " ".join(f"'sha256-{digest}'" for digest in digests)
    assert rules["default-src"] == "'none'"
    # Before anything that could be run.
    assert written.index("Content-Security-Policy") < written.index("<script")


@pytest.mark.parametrize(
    ("server", "reached"), [("", "'none'"), (NOTEBOOK, "'none'"), ("/", "'self'")]
)
def test_a_served_page_reaches_its_server_and_any_other_nothing(server, reached):
    assert f"connect-src {reached};" in policy(page(server=server))


def test_a_page_names_no_other_place():
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page())


def test_a_page_of_ours_is_known_again(tmp_path):
    ours = to_page(pellucid.load("baby-groot").trace("i am"), title="groot").save(
        tmp_path / "ours.html"
    )
    other = tmp_path / "other.html"
    other.write_text("<title>Pellucid</title>")
    assert is_document(ours)
    assert not is_document(other)
    assert not is_document(tmp_path)
    assert not is_document(tmp_path / "none.html")


def test_in_a_notebook_it_stands_in_a_frame_that_reaches_nothing():
    shown = to_page(pellucid.load("baby-groot").trace("i am"), title=HOSTILE)._repr_html_()
    assert shown.startswith('<iframe srcdoc="')
    assert 'sandbox="allow-scripts allow-forms allow-downloads"' in shown
    assert "<script" not in shown
