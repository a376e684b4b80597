"""Decoders that continue a text by what came after the same token before: by hand, and trained."""

from __future__ import annotations

import numpy as np

from pellucid.decoder.config import ModelConfig
from pellucid.decoder.parameters import FlatParameters
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.model.model import Model
from pellucid.training.optimizers import AdamW, matrices

WORDS, POSITIONS = 16, 12
SHARP = 2.0
"""By how much a match is ahead of everything else."""


def made_by_hand(n_layer=2):
    """Heads whose weights say what they do.

    A vector has a slot for its token, one for its position, and one for the token before it, which
    head 0:1 fills. Head 1:0 looks for its own token in that slot.
    """
    width = 2 * WORDS + POSITIONS
    config = ModelConfig(
        vocab_size=WORDS, block_size=POSITIONS, n_layer=n_layer, n_head=2, n_embd=width,
        d_head=WORDS, mlp=False, norm="rms", norm_bias=False, attention_bias=False,
        attention_output_bias=False, attention_scale=1.0,
    )  # fmt: skip
    model = Model.from_config(config)
    p = {name: np.zeros(spec.shape, np.float32) for name, spec in model.specs.items()}
    token, place, before = np.split(np.eye(width), [WORDS, WORDS + POSITIONS])
    p["token_embedding"] += token
    p["position_embedding"] += place
    for name in p:
        if name.endswith("gamma"):
            p[name] += 1
    first, second = (head * WORDS + np.arange(WORDS) for head in (0, 1))
    p["blocks.0.attn.w_q"][np.ix_(place.argmax(1), second[:POSITIONS])] = SHARP * np.eye(
        POSITIONS, k=-1
    )
    p["blocks.0.attn.w_k"][np.ix_(place.argmax(1), second[:POSITIONS])] = np.eye(POSITIONS)
    p["blocks.0.attn.w_v"][np.ix_(token.argmax(1), second)] = np.eye(WORDS)
    p["blocks.0.attn.w_o"][np.ix_(second, before.argmax(1))] = np.eye(WORDS)
    if n_layer > 1:
        p["blocks.1.attn.w_q"][np.ix_(token.argmax(1), first)] = SHARP * np.eye(WORDS)
        p["blocks.1.attn.w_k"][np.ix_(before.argmax(1), first)] = np.eye(WORDS)
    return Model(config, p)


def trained(n_layer, *, steps, seed=0):
    """A decoder of nothing but attention, trained on random tokens that are repeated.

    Its scores fall with the distance, so that a head finds the token before it by itself: with
    positions that have to be learned the same takes ten times as long.
    """
    config = ModelConfig(
        vocab_size=32, block_size=24, n_layer=n_layer, n_head=4, n_embd=64, mlp=False,
        position="alibi", alibi_scale=4.0, norm="rms", norm_bias=False, attention_bias=False,
        attention_output_bias=False,
    )  # fmt: skip
    start = Model.from_config(config, seed=seed)
    parameters = FlatParameters.copy_of(start.parameters, start.specs)
    engine, gradients = NumpyEngine(start.graph, parameters), parameters.zeros_like()
    optimizer = AdamW(matrices(start.specs), beta2=0.98)
    rng = np.random.default_rng(seed)
    for step in range(steps):
        ids, targets = repeated(rng, config, batch=32)
        engine.loss_and_gradients(ids, targets, gradients)
        rate = 3e-3 * min(1, (step + 1) / 50)
        optimizer.step(parameters.buffer, gradients.buffer, learning_rate=rate)
    return Model(config, parameters)


def repeated(rng, config, *, batch):
    """Ids and targets: so many different tokens, again and again, how many being drawn each time.

    Were it always the same number, the answer would stand at a place known beforehand, and no
    token would have to be looked for. Only what can be known is asked for.
    """
    size = config.block_size
    ids, targets = (np.full((batch, size), -1) for _ in "ab")
    for row in range(batch):
        length = rng.integers(size // 4, size // 2 + 1)
        ids[row] = np.resize(rng.permutation(config.vocab_size)[:length], size)
        targets[row, length - 1 : -1] = ids[row, length:]
    return ids, targets
