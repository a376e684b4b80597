"""Models by their names on Hugging Face: their files, brought into the library's own cache.

Only what is read comes: settings, safetensors and a tokenizer, all of one revision; never code, and
never a pickle.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.errors import PellucidError
from pellucid.interop.huggingface.tokenizer import GENERATION, NAMED, SETTINGS
from pellucid.interop.huggingface.weights import INDEX, ONE, PICKLES, inside, read_places
from pellucid.model.folder import CHECKPOINTS, CONFIG
from pellucid.text.tokenizer_folder import TEMPLATE, TOKENIZER

if TYPE_CHECKING:
    from huggingface_hub import HfApi

NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)
"""An owner and a model, or one of the first models, which have none."""
SMALL = (CONFIG, GENERATION, TOKENIZER, SETTINGS, NAMED, TEMPLATE)
"""What comes, where it is there, beside the weights."""


def is_name(source: str) -> bool:
    """Whether it could be the name of a model there, by its form: no file's, and no long path."""
    is_file = Path(source).suffix in (".gguf", ".json", ".safetensors", *CHECKPOINTS)
    return len(source) <= 96 and not is_file and NAME.fullmatch(source) is not None


def fetch(name: str) -> Path:
    """The folder of a model, its files brought from the network, or from earlier times.

    Raises:
        PellucidError: huggingface_hub is not installed, there is no network, no such model or no
            permission to read it; or it has no safetensors.
    """
    if find_spec("huggingface_hub") is None:
        raise PellucidError(
            f'"{name}" is no model here. To bring it by its name on Hugging Face, '
            f"pip install 'pellucid[hf]'; {by_hand(name)}"
        )
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError

    api = HfApi()
    try:
        return download(api, name)
    except PellucidError:
        raise
    except GatedRepoError:
        raise PellucidError(
            f'"{name}" asks for its terms to be accepted: do so on its page, sign in with '
            "hf auth login, and try again."
        ) from None
    except (RepositoryNotFoundError, HFValidationError):
        raise PellucidError(
            f'There is no model "{name}", neither here nor on Hugging Face, or it is private: '
            "then sign in with hf auth login."
        ) from None
    except Exception as error:  # Of the library beneath the library, which changes.
        if (folder := remembered(api, name)) is not None:
            return folder
        raise PellucidError(
            f'"{name}" is no model here, and cannot be brought from Hugging Face: '
            f"{reason(error)}. Where there is no network, {by_hand(name)}"
        ) from None


def download(api: HfApi, name: str) -> Path:
    """Bring what is read of a model; each file comes once.

    Raises:
        PellucidError: it lacks its settings or its weights.
    """
    there = {sibling.rfilename for sibling in api.model_info(name).siblings or ()}
    if CONFIG not in there:
        raise PellucidError(f'"{name}" has no {CONFIG} on Hugging Face: it is not a model.')
    check_weights(name, there)
    folder = Path(api.hf_hub_download(name, CONFIG)).parent

    def bring(file: str) -> Path:
        # The library calls a model's folder by its revision.
        return Path(api.hf_hub_download(name, file, revision=folder.name))

    for file in SMALL:
        if file in there:
            bring(file)
    if ONE in there:
        bring(ONE)
        return folder
    for file in sorted(set(read_places(bring(INDEX)).values())):
        bring(inside(folder, file).name)
    return folder


def check_weights(name: str, there: Collection[str]) -> None:
    """Refuse a model without safetensors, before anything comes."""
    if ONE in there or INDEX in there:
        return
    pickles = [file for file in PICKLES if file in there]
    has = f"only {pickles[0]}, a pickle, which is not read" if pickles else "no weights"
    raise PellucidError(
        f'"{name}" has {has} on Hugging Face: models are read from safetensors. '
        "Convert it with transformers, by save_pretrained, and give the folder."
    )


def remembered(api: HfApi, name: str) -> Path | None:
    """The folder of a model whose files came before; None where they did not."""
    try:
        folder = Path(api.snapshot_download(name, local_files_only=True))
    except Exception:  # As above.
        return None
    return folder if (folder / CONFIG).exists() else None


def by_hand(name: str) -> str:
    """How to do without."""
    return (
        f"bring a folder with {CONFIG}, {ONE} and {TOKENIZER} (hf download {name} --local-dir "
        "FOLDER, where there is a network), and give its path."
    )


def reason(error: Exception) -> str:
    """What a library says went wrong, in one line."""
    words = " ".join(str(error).split())[:200].rstrip(".")
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
