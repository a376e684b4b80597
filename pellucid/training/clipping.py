"""Clipping: a gradient that is too long is made shorter, its direction kept."""

from __future__ import annotations

from math import sqrt

import numpy as np

from pellucid.ops.operation import Array


def gradient_norm(gradients: Array) -> float:
    """The length √Σ g² of a whole gradient [parameter], summed in its own precision."""
    return sqrt(float(np.dot(gradients, gradients)))


def clip(gradients: Array, *, norm: float, longest: float) -> None:
    """Scale `gradients` [parameter], whose length is `norm`, down to `longest`, in place.

    A shorter one stays as it is, and so does any where `longest` is 0.

    Source: Pascanu et al., "On the difficulty of training recurrent neural networks" (2013),
    algorithm 1.
    """
    if 0 < longest < norm:
        np.multiply(gradients, longest / norm, out=gradients)
