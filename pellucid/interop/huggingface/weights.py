"""The arrays of a Hugging Face folder, in one safetensors file or in several with an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pellucid.errors import PellucidError, did_you_mean
from pellucid.interop.safetensors_file import SafetensorsFile
from pellucid.model.folder import msgspec_json
from pellucid.ops.operation import Array

ONE, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.bin", "consolidated.00.pth")


class FolderWeights(Mapping[str, Array]):
    """Every array of a folder by its name: views of mapped files.

    Raises:
        PellucidError: there are none, a file is damaged, or the index leads astray.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if (folder / ONE).exists():
            file = SafetensorsFile(folder / ONE)
            self.files: dict[str, SafetensorsFile] = dict.fromkeys(file, file)
        elif (folder / INDEX).exists():
            self.files = read_index(folder)
        else:
            raise no_weights(folder)

    def __getitem__(self, name: str) -> Array:
        if name not in self.files:
            raise PellucidError(f"{self.folder} lacks {name}.{did_you_mean(name, self.files)}")
        return self.files[name][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __contains__(self, name: object) -> bool:
        return name in self.files


def read_index(folder: Path) -> dict[str, SafetensorsFile]:
    """The file of each array, as the index says; each file is opened once."""
    places = read_places(folder / INDEX)
    names = sorted(set(places.values()))
    files = {name: SafetensorsFile(inside(folder, name)) for name in names}
    for name, file in places.items():
        if name not in files[file]:
            raise PellucidError(f"{folder / INDEX} says that {file} has {name}; it has not.")
    return {name: files[file] for name, file in places.items()}


def read_places(path: Path) -> dict[str, str]:
    """The name of each array's file, as an index says.

    Raises:
        PellucidError: it is none, or names something else.
    """
    index = msgspec_json(path)
    places: Any = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(places, dict) or not places:
        raise PellucidError(f"{path} has no weight_map: it is not an index.")
    wrong = [file for file in places.values() if not isinstance(file, str)]
    if wrong:
        raise PellucidError(f"{path} names a file {wrong[0]!r}: that is no name.")
    return places


def inside(folder: Path, name: str) -> Path:
    """A file of the folder itself; links that lead from there are the user's own affair."""
    plain = name not in ("", ".", "..") and not set(name) & set("/\\:\0")
    if not plain or not name.endswith(".safetensors"):
        raise PellucidError(
            f"{folder / INDEX} names {name!r}: files of weights lie in the folder itself "
            f"and end with .safetensors."
        )
    return folder / name


def no_weights(folder: Path) -> PellucidError:
    """What to do about a folder without safetensors."""
    pickles = [name for name in PICKLES if (folder / name).exists()]
    if not pickles:
        return PellucidError(f"{folder / ONE} is missing: this folder has no weights.")
    return PellucidError(
        f"{folder} has its weights as {pickles[0]}, a pickle, which can run code as it is read: "
        f"it is not opened. Save the model again with save_pretrained, as safetensors."
    )
