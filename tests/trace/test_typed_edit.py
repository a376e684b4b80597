"""Edits as they are typed."""

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from tests.small_models import WORDS, small_model

TYPED = [
    ("zero blocks.0.attn.pattern[head=0]", pellucid.zero("blocks.0.attn.pattern", head=0)),
    ("  zero  q ", pellucid.zero("q")),
    ("set_to q[head=0, position=ash] -inf", pellucid.set_to("q", -np.inf, head=0, position="ash")),
    ("set_to q [1, 2.5]", pellucid.set_to("q", [1, 2.5])),
    ("scale q 2 at 0,3", pellucid.scale("q", 2, at_steps=[0, 3])),
    ("add q[position=at] -1.5", pellucid.add("q", -1.5, position="at")),
    ("mean_over q[head=1|2] position", pellucid.mean_over("q", "position", head=[1, 2])),
    ('zero q[key="1:2",query=1:2]', pellucid.zero("q", key="1:2", query=slice(1, 2))),
    ('zero q[key="2"|-1|"a|b"|a b]', pellucid.zero("q", key=["2", -1, "a|b", "a b"])),
    ('zero q[key="]"]', pellucid.zero("q", key="]")),
    ("zero q[key= a| b|c |1 ]", pellucid.zero("q", key=[" a", " b", "c", 1])),
    ('zero q[key = a, query= "b"]', pellucid.zero("q", key="a", query="b")),
    ("mask_attention", pellucid.mask_attention()),
    ("mask_attention [query=groot,key=i]", pellucid.mask_attention(query="groot", key="i")),
    ("mask_attention query=groot,layer=0|1", pellucid.mask_attention(query="groot", layer=[0, 1])),
    ("mask_attention [head=2] at 1", pellucid.mask_attention(head=2, at_steps=[1])),
]


@pytest.mark.parametrize(("text", "edit"), TYPED)
def test_an_edit_is_read_and_reads_as_it_is_printed(text, edit):
    assert pellucid.read_edit(text) == edit
    if "numbers" not in str(edit):
        assert pellucid.read_edit(str(edit)) == edit


def test_values_come_from_the_file_of_a_trace(tmp_path):
    trace = small_model(tokenizer=WORDS).trace("ash bud")
    path = trace.save(tmp_path / "ash.safetensors")
    assert pellucid.read_edit(f"copy_from logits[position=bud] {path}") == pellucid.copy_from(
        "logits", trace, position="bud"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no edit. Write it as VERB NAME"),
        ("zero", "is no edit"),
        ("zro q", "Did you mean zero"),
        ("zero q 3", "is no edit"),
        ("scale q", "lacks its number"),
        ("scale q 2 3", "lacks its number"),
        ("add q [1", "no list of numbers"),
        ("zero q[head]", "'head' in .* is no dim=place"),
        ("zero q[head=0", "is no edit"),
        ("zero q[head=0,head=1]", "head is given twice"),
        ("mean_over q", "is no edit"),
        ("copy_from q no-such-file", "no-such-file"),
        ("mask_attention keys=i", "none of query, key, head and layer.*Did you mean key"),
    ],
)
def test_what_is_no_edit_is_said(text, words):
    with pytest.raises(PellucidError, match=words):
        pellucid.read_edit(text)
