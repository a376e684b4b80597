"""What a post-processor puts around a text is found, whatever kind it is of."""

import pytest
import tokenizers
from tokenizers import models, processors

from pellucid.errors import PellucidError
from pellucid.text.affixes import affixes_of
from pellucid.text.tokenizer import Tokenizer

VOCABULARY = {"a": 0, "b": 1, "<s>": 2, "</s>": 3, "<x>": 4}


def words(post_processor):
    inner = tokenizers.Tokenizer(models.WordLevel(VOCABULARY, unk_token="a"))
    if post_processor is not None:
        inner.post_processor = post_processor
    return inner


def template(single):
    special = [(token, id) for token, id in VOCABULARY.items() if id > 1]
    return processors.TemplateProcessing(single=single, special_tokens=special)


KINDS = [
    (None, [], []),
    (processors.ByteLevel(), [], []),
    (template("<s> $A"), [2], []),
    (template("$A </s>"), [], [3]),
    (template("<s> <x> $A:1 </s>"), [2, 4], [3]),
    (processors.BertProcessing(("</s>", 3), ("<s>", 2)), [2], [3]),
    (processors.RobertaProcessing(("</s>", 3), ("<s>", 2)), [2], [3]),
    (processors.Sequence([processors.ByteLevel(), template("<s> $A")]), [2], []),
]


@pytest.mark.parametrize(("post_processor", "before", "behind"), KINDS)
def test_a_prompt_is_what_the_library_makes_of_it(post_processor, before, behind):
    inner = words(post_processor)
    assert affixes_of(inner) == (before, behind)
    tokenizer = Tokenizer(inner)
    assert tokenizer.prompt("b") == inner.encode("b").ids == [*before, 1, *behind]
    assert tokenizer.start == before


@pytest.mark.parametrize(("single", "times"), [("<s> $A $A", 2), ("<s>", 0)])
def test_a_text_that_is_not_there_once_is_refused(single, times):
    with pytest.raises(PellucidError, match=f"puts a text {times} times"):
        affixes_of(words(template(single)))


def test_an_affix_outside_the_vocabulary_is_refused():
    outside = processors.TemplateProcessing(single="<y> $A", special_tokens=[("<y>", 9)])
    with pytest.raises(PellucidError, match="9 is not an id of this vocabulary of 5 tokens"):
        Tokenizer(words(outside)).prompt("a")
