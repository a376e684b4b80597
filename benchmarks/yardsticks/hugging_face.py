"""What is timed of a model of Hugging Face: its forward pass, and `generate`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from transformers import PreTrainedModel


def forward_of(model: PreTrainedModel) -> Callable[[np.ndarray], np.ndarray]:
    """Return ids [batch, position] → logits [batch, position, vocab], without a cache."""

    def forward(ids: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            logits: np.ndarray = model(torch.from_numpy(ids), use_cache=False).logits.numpy()
        return logits

    return forward


def greedy_of(model: PreTrainedModel) -> Callable[[np.ndarray, int], np.ndarray]:
    """Return (ids [batch, position], count) → so many ids more [batch, count], with a cache."""

    def generate(ids: np.ndarray, count: int) -> np.ndarray:
        given = torch.from_numpy(ids)
        with torch.inference_mode():
            whole = model.generate(
                given,
                attention_mask=torch.ones_like(given),
                do_sample=False,
                max_new_tokens=count,
                eos_token_id=None,
                pad_token_id=0,
            )
        new: np.ndarray = whole[:, ids.shape[1] :].numpy()
        return new

    return generate
