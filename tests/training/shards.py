"""A few arrays in shards, as processes would write them."""

import numpy as np

from pellucid.training.shards import make_index, rows_of, write_index, write_shard

RNG = np.random.default_rng(0)
ARRAYS = {
    "long": RNG.normal(size=(11, 3)),
    "short": RNG.normal(size=(2,)),
    "blocks.0.w": RNG.normal(size=(8, 4)),
}


def write(folder, shards, *, save="one", dtype="float64", step=7):
    """All arrays in so many shards."""
    folder.mkdir(exist_ok=True)
    for shard in range(shards):
        rows = {}
        for name, array in ARRAYS.items():
            start, stop = rows_of(len(array), shard, shards)
            rows[name] = array[start:stop].astype(dtype)
        write_shard(folder, rows, shard=shard, shards=shards, save=save)
    shapes = {name: array.shape for name, array in ARRAYS.items()}
    write_index(folder, make_index(shapes, dtype=dtype, shards=shards, save=save, step=step))
    return folder
