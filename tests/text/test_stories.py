"""The embedded stories are clean text with much that comes again and nothing that is there twice.

They were written for this project; nothing in them is taken from another text. What holds here is
what makes them fit to learn from within minutes, so keep it when you change a story.
"""

from collections import Counter

import pytest

from pellucid.text.corpora import STORIES, stories

TEXT = STORIES.read_bytes().decode("utf-8")
TEXTS = tuple("".join(story.read()) for story in stories())
CHARACTERS = (
    *("Nib the mouse", "Hobb the badger", "Oona the owl", "Fennel the fox", "Tamsin the hare"),
    *("Bartle the bear", "Dilly the duck", "Quill the hedgehog", "Moss the tortoise"),
    *("Pippa the wren", "Garrick the goat", "Sorrel the squirrel"),
)
PLACES = (
    *("Lantern Oak", "Bramble Hill", "Round Pond", "Long Meadow", "Hazel Wood", "Windy Gap"),
    *("bell tower", "old mill", "bakehouse", "bridge", "river Lull", "Fernlow"),
)
ENDING = "The lantern was lit, and the river ran deep, and all the valley went to sleep."
REFRAINS = {
    "i have a plan,": 15,
    "who is crossing my bridge?": 15,
    "somewhere safe": 15,
    "mud and feathers": 15,
    "one, two, three": 12,
    "let us think about it": 12,
    "there is always room for one more": 10,
    "step by step and stone by stone": 10,
    "is it time for supper?": 8,
    "over the bridge, and past the mill, and all the way up bramble hill": 5,
}


def test_a_hundred_thousand_characters_of_a_small_alphabet():
    assert 95_000 <= len(TEXT) <= 110_000
    assert len(set(TEXT)) <= 64
    assert (set(TEXT) - {"\n"}) < set(map(chr, range(0x20, 0x7F)))


def test_the_stories_are_the_whole_file_each_named_by_its_first_line():
    assert "\n".join(TEXTS) == TEXT
    for story, text in zip(stories(), TEXTS, strict=True):
        title, *paragraphs, end = text.split("\n")
        assert story.name == title
        assert len(paragraphs) >= 8
        assert end == ""
        assert all(line == " ".join(line.split()) for line in [title, *paragraphs])
        assert "" not in paragraphs


def test_what_is_opened_is_closed():
    for line in TEXT.split("\n"):
        assert line.count('"') % 2 == 0, line


def test_no_title_and_no_story_is_there_twice():
    assert len(TEXTS) == 50
    assert len({story.name for story in stories()}) == len(set(TEXTS)) == 50


def test_only_refrains_are_repeated_word_for_word():
    length = len(ENDING) + 10
    stretches = Counter(
        text[start : start + length] for text in TEXTS for start in range(len(text) - length + 1)
    )
    assert [each for each, times in stretches.items() if times > 1] == []


def test_every_story_has_the_same_ending():
    assert all(text.count(ENDING) == 1 for text in TEXTS)


@pytest.mark.parametrize("character", CHARACTERS)
def test_a_character_comes_in_many_stories_and_speaks_by_name(character):
    name = character.split()[0]
    assert sum(name in text for text in TEXTS) >= 15
    assert TEXT.count(character) >= 20
    assert TEXT.count(f'," said {name}') + TEXT.count(f'?" said {name}') >= 10


@pytest.mark.parametrize("place", PLACES)
def test_a_place_comes_in_many_stories(place):
    assert sum(place in text for text in TEXTS) >= 6


@pytest.mark.parametrize(("refrain", "times"), REFRAINS.items())
def test_phrases_come_again(refrain, times):
    assert TEXT.lower().count(refrain) >= times
