"""`pellucid tour`."""

import json
import re
import sys

import pytest

import pellucid
from tests.views.html.parsed import parsed, words

SENTENCES = "birds sing\nbirds fly high\nfish swim\n"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Where the commands are called: a folder of its own, with no display near."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text(SENTENCES, encoding="utf-8")
    return path


def parts(text):
    return [int(number) for number in re.findall(r"^Part (\d): ", text, flags=re.MULTILINE)]


def test_all_parts_follow_each_other_in_plain_text(run, place):
    outcome = run("tour")
    assert (outcome.code, outcome.err) == (0, "")
    assert parts(outcome.out) == [1, 2, 3, 4, 5, 6, 7]
    assert "\x1b" not in outcome.out
    assert all(len(line) <= 80 for line in outcome.out.splitlines())
    # The floor of the loss, and the shares that the corpus leaves open.
    assert "0.7361 nats" in outcome.out
    assert "968" in outcome.out
    # The page it ends with has the weights, so that other texts can be run.
    page = read_page(place / "tour.html")
    assert (page["prompt"]["text"], page["title"]) == ("i am groot", "The tour's model")
    assert page["parameters"]["bytes"]


# The page that it ends with


def read_page(path):
    """What a page was handed."""
    _, data = path.read_text(encoding="utf-8").split('id="pellucid-page">')
    return json.loads(data.partition("</script>")[0])


FOLLOW = ("tour", "--model", "baby-groot", "--prompt", "i am groot")


def test_a_tour_ends_with_a_page_of_its_chapters(run, place):
    outcome = run(*FOLLOW)
    assert outcome.code == 0
    assert outcome.out.endswith("The same in the browser, where every number answers: tour.html\n")
    # As promised: small enough to be sent, and opened at once.
    assert (place / "tour.html").stat().st_size <= 800_000
    page = read_page(place / "tour.html")
    titles = [chapter["title"] for chapter in page["chapters"]]
    assert [title.split(":")[0] for title in titles[1:]] == [f"Part {n}" for n in range(1, 8)]
    assert all(title in outcome.out for title in titles)
    assert (page["server"], page["title"]) == ("", "baby-groot")


def test_an_earlier_page_is_written_over_and_another_file_is_not(run, place):
    path = place / "tour.html"
    assert run(*FOLLOW).code == 0
    assert run("tour", "--model", "baby-groot", "--prompt", "we are").code == 0
    assert read_page(path)["prompt"]["text"] == "we are"
    path.write_text("<title>Holiday in Rome</title>")
    outcome = run(*FOLLOW)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith(
        "tour.html is another file: name one for the page with --page FILE.\n"
    )
    assert "Rome" in path.read_text()


def test_the_page_goes_where_it_is_told_or_nowhere(run, refused, place, tmp_path):
    assert run(*FOLLOW, "--no-page").code == 0
    assert run("tour", "--part", "1").code == 0
    assert run("tour", "--html", str(tmp_path / "still.html"), "--part", "1").code == 0
    assert list(place.iterdir()) == []
    outcome = run(*FOLLOW, "--page", "mine.html")
    assert outcome.out.endswith("answers: mine.html\n")
    assert [path.name for path in place.iterdir()] == ["mine.html"]
    assert "cannot be written" in refused(*FOLLOW, "--page", "none/mine.html")
    assert "leave --part out" in refused(*FOLLOW, "--page", "mine.html", "--part", "1")
    assert "--no-page" in refused(*FOLLOW, "--page", "mine.html", "--no-page")


def test_a_folder_that_takes_no_page_does_not_spoil_the_tour(run, place, monkeypatch):
    (place / "tour.html").mkdir()
    outcome = run(*FOLLOW)
    assert (outcome.code, outcome.err) == (0, "")
    assert "There is no page of this tour. tour.html" in outcome.out


def test_the_page_is_opened_for_somebody_who_sits_at_a_screen(run, place, monkeypatch, tmp_path):
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(
        f"#!{sys.executable}\nimport sys\nopen({str(opened)!r}, 'w').write(sys.argv[1])"
    )
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    run(*FOLLOW)
    assert not opened.exists()
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    run(*FOLLOW)
    assert opened.read_text() == (place / "tour.html").as_uri()


# The page to read and print


def test_a_page_holds_all_parts_and_is_written_whole(run, tmp_path):
    path = tmp_path / "tour.html"
    outcome = run("tour", "--html", str(path))
    assert (outcome.code, outcome.out, outcome.err) == (0, f"Wrote {path}\n", "")
    root = parsed(path.read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>\n"))
    chapters = [words(each) for each in root.iter("h2")]
    assert [title.split(":")[0] for title in chapters] == [f"Part {n}" for n in range(1, 8)]
    assert words(root).rstrip().endswith(f"Made by Pellucid {pellucid.__version__}, with seed 0.")
    assert "0.7361 nats" in words(root)


def test_a_page_of_one_part_says_what_cannot_be_written(run, tmp_path):
    path = tmp_path / "part.html"
    assert run("tour", "--part", "1", "--html", str(path)).code == 0
    assert "Part 1: Data</title>" in path.read_text(encoding="utf-8")
    outcome = run("tour", "--part", "1", "--html", str(tmp_path / "nowhere" / "part.html"))
    assert (outcome.code, outcome.out) == (2, "")
    assert "cannot be written" in outcome.err


def test_a_page_that_cannot_be_written_is_refused_before_any_work(run, tmp_path):
    outcome = run("tour", "--html", str(tmp_path), "--corpus", str(tmp_path / "none.txt"))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"pellucid: {tmp_path} cannot be written: it is not a file.\n"
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_one_part_alone(run):
    outcome = run("tour", "--part", "4")
    assert outcome.code == 0
    assert parts(outcome.out) == [4]


def test_the_prompt_is_followed(run):
    assert "groot likes" in run("tour", "--part", "6", "--prompt", "groot likes").out
    assert run("tour", "--part", "6", "--prompt", "").code == 0


def test_the_seed_decides_every_number(run):
    first, same, other = (run("tour", "--part", "3", "--seed", s).out for s in ("1", "1", "2"))
    assert first == same
    assert first != other


def test_a_corpus_of_ones_own(run, corpus):
    outcome = run("tour", "--corpus", str(corpus), "--part", "1")
    assert outcome.code == 0
    assert "birds" in outcome.out
    assert "groot" not in outcome.out


def test_a_corpus_of_ones_own_through_all_parts(run, corpus):
    outcome = run("tour", "--corpus", str(corpus), "--prompt", "birds fly")
    assert outcome.code == 0
    assert parts(outcome.out) == [1, 2, 3, 4, 5, 6, 7]


def test_a_sentence_may_be_a_single_word(run, tmp_path):
    path = tmp_path / "short.txt"
    path.write_text("hush\nbirds sing\n", encoding="utf-8")
    outcome = run("tour", "--corpus", str(path), "--part", "2")
    assert outcome.code == 0
    assert "hush" in outcome.out


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """The folder of a model that reads 64 characters at once."""
    folder = tmp_path_factory.mktemp("reader")
    tokenizer = pellucid.Tokenizer.characters(["the old mole sings.\n"], running=True)
    config = pellucid.ModelConfig(
        vocab_size=tokenizer.vocab_size, block_size=64, n_layer=2, n_head=4, n_embd=64
    )
    return pellucid.Model.from_config(config, tokenizer).save(folder)


def test_a_model_that_there_is_through_all_parts(run, reader):
    outcome = run("tour", "--model", str(reader), "--prompt", "the old mole")
    assert (outcome.code, outcome.err) == (0, "")
    assert parts(outcome.out) == [1, 2, 3, 4, 5, 6, 7]
    assert "groot" not in outcome.out
    assert all(len(line) <= 80 for line in outcome.out.splitlines())


def test_a_long_prompt_makes_the_tour_no_endless_one(run, reader):
    prompt = "the old mole sings. the mole is old. so the old mole sings. the"
    short = run("tour", "--model", str(reader), "--prompt", "the old mole sings. the m").out
    long = run("tour", "--model", str(reader), "--prompt", prompt).out
    assert parts(long) == [1, 2, 3, 4, 5, 6, 7]
    # A matrix or table shows 24 rows of either.
    assert long.count("\n") < 1.1 * short.count("\n")
    assert "of 63 rows" in long


def test_part_why_is_shown_when_it_is_asked_for(run, corpus, monkeypatch):
    monkeypatch.setattr("pellucid.interop.reading.SECONDS", 0.0)
    monkeypatch.setattr("pellucid.interop.older_way.LENGTHS", (2, 3))
    outcome = run("tour", "--part", "why", "--corpus", str(corpus))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Part why: The older way\n")


def test_without_torch_all_parts_are_there_and_part_why_says_what_it_needs(
    run, refused, monkeypatch
):
    monkeypatch.setattr("pellucid.engine.find_torch.find_spec", lambda name: None)
    outcome = run("tour")
    assert (outcome.code, outcome.err) == (0, "")
    assert parts(outcome.out) == [1, 2, 3, 4, 5, 6, 7]
    assert "Quoted, not computed now" in outcome.out
    assert "pip install 'pellucid[torch]'" in refused("tour", "--part", "why")


def test_a_corpus_in_another_encoding(run, refused, tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("vögel singen\n".encode("latin-1"))
    assert "--encoding latin-1" in refused("tour", "--corpus", str(path), "--part", "1")
    outcome = run("tour", "--corpus", str(path), "--part", "1", "--encoding", "latin-1")
    assert outcome.code == 0
    assert "vögel" in outcome.out
    assert "no encoding" in refused("tour", "--corpus", str(path), "--encoding", "klingon")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--part", "0"), "the tour has parts 1 to 7"),
        (("--part", "8"), "the tour has parts 1 to 7"),
        (("--part", "one"), "There is no part one: the tour has parts 1 to 7, and why"),
        (("--part", "why", "--model", "baby-groot", "--prompt", "i"), "leave the model out"),
        (("--seed", "-1"), "--seed"),
        (("--prompt", "i am gruut"), "Did you mean groot?"),
        (("--prompt", "i am groot you are"), "This text is 6 tokens"),
        (("--corpus", "nowhere.txt"), "nowhere.txt"),
        (("--corpus", "."), "folder"),
        (("--model", "baby-groot"), "--prompt"),
        (("--model", "nowhere", "--prompt", "i"), "nowhere"),
        (("--model", "lesson-3", "--prompt", "i"), "lesson-3"),
    ],
)
def test_bad_input_is_refused_in_one_line(refused, arguments, said):
    assert said in refused("tour", *arguments)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "empty"), (b"\n  \n", "empty"), (b"birds s\xffng\n", "UTF-8")],
)
def test_a_corpus_that_cannot_be_read_is_refused_in_one_line(refused, tmp_path, content, said):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    message = refused("tour", "--corpus", str(path))
    assert str(path) in message
    assert said in message
