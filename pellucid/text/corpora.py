"""The embedded corpora, and the user's own files read as text."""

from os import PathLike
from pathlib import Path

from pellucid.errors import PellucidError
from pellucid.text.documents import Document
from pellucid.text.reading import read_document

STORIES = Path(__file__).with_name("stories.txt")
"""The stories of the valley of Fernlow in one file: a blank line stands between two of them."""

GROOT: tuple[str, ...] = (
    "i am groot",
    "you are groot",
    "we are groot",
    "groot is happy",
    "groot is sad",
    "groot is angry",
    "happy groot smiles",
    "sad groot cries",
    "angry groot shouts",
    "groot likes tree",
    "groot likes leaf",
    "tree needs water",
    "leaf needs water",
    "water helps tree",
    "tree helps groot",
    "groot helps rocket",
    "rocket helps groot",
    "groot likes friend",
    "friend likes groot",
)
"""The 19 sentences that BabyGroot learns: 21 words."""


def stories() -> tuple[Document, ...]:
    """Return the embedded running text, some 100,000 characters: each story a document.

    A story's first line is its title, which is the document's name too; every other line is a
    paragraph.
    """
    each = read_text(STORIES).removesuffix("\n").split("\n\n")
    return tuple(Document.of(f"{story}\n", name=story.partition("\n")[0]) for story in each)


def read_text(path: str | PathLike[str], encoding: str = "utf-8") -> str:
    """Return the text of a file, without a byte-order mark, its lines ended by "\\n".

    Raises `PellucidError` for a file that is missing, a folder, unreadable, not in this encoding
    (with the position of the first wrong byte), or holds nothing but white space.
    """
    path = Path(path)
    if path.is_dir():
        raise PellucidError(f"{path} is a folder. Give one text file.")
    text = "".join(read_document(path, encoding=encoding).read())
    if not text.strip():
        raise PellucidError(f"{path} is empty: it holds no text. Give a file with some words.")
    return text


def read_sentences(path: str | PathLike[str], encoding: str = "utf-8") -> tuple[str, ...]:
    """Return the lines of a file, a sentence each; blank lines are dropped.

    Reads and raises as `read_text` does.
    """
    return tuple(line for line in read_text(path, encoding).split("\n") if line.strip())
