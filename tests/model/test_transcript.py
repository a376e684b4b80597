"""Ids as text: whole characters, joined as the whole text would be, up to a stop string."""

import pytest

from pellucid.model.transcript import Transcript
from pellucid.text.tokenizer import Tokenizer
from tests.small_models import WORDS

BYTES = Tokenizer.byte_pairs(["groot, grün, 🌳🌳 – 树"], vocab_size=270)
TEXT = "die 🌳 ist grün, 树!"


@pytest.mark.parametrize("cut", range(1, len(BYTES.encode(TEXT))))
def test_prompt_and_pieces_are_the_text_wherever_it_is_cut(cut):
    ids = BYTES.encode(TEXT)
    transcript = Transcript(BYTES, ids[:cut])
    pieces = [transcript.push(id) for id in ids[cut:]] + [transcript.finish()]
    assert transcript.before + "".join(pieces) == TEXT
    assert not any("\ufffd" in piece for piece in (transcript.before, *pieces))


def test_words_join_those_before_them():
    transcript = Transcript(WORDS, WORDS.prompt("oak moss"))
    assert transcript.before == "oak moss"
    pieces = [transcript.push(id) for id in (*WORDS.encode("elm"), *WORDS.end)]
    assert pieces == [" elm", ""]
    assert Transcript(WORDS, WORDS.prompt("")).push(WORDS.encode("elm")[0]) == "elm"


def test_a_stop_string_is_found_across_tokens_and_nothing_of_it_is_shown():
    ids = BYTES.encode("one, two, three")
    transcript = Transcript(BYTES, BYTES.encode("one,"), stop=["wo, t"])
    shown, seen = "", []
    for id in ids[len(BYTES.encode("one,")) :]:
        shown += transcript.push(id)
        seen.append(transcript.stopped)
    assert shown + transcript.finish() == " t"
    assert seen[0] is False
    assert seen[-1] is True


def test_a_stop_string_in_the_prompt_or_across_its_end_stops_nothing():
    ids = BYTES.encode("a b a b")
    transcript = Transcript(BYTES, ids[:4], stop=["b a b"])
    shown = "".join(transcript.push(id) for id in ids[4:]) + transcript.finish()
    assert transcript.before + shown == "a b a b"
    assert not transcript.stopped


def test_half_a_character_at_the_end_is_shown_as_one_that_is_missing():
    transcript = Transcript(BYTES, BYTES.encode("x"))
    *first, _ = BYTES.encode("🌲")
    assert [transcript.push(id) for id in first] == [""] * len(first)
    assert set(transcript.finish()) == {"\ufffd"}


def test_a_beginning_that_is_held_back_comes_at_the_end():
    transcript = Transcript(BYTES, BYTES.encode("x"), stop=["#!"])
    assert [transcript.push(id) for id in BYTES.encode("y#")] == ["y", ""]
    assert transcript.finish() == "#"
