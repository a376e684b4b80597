"""The words that a config may choose from."""

from typing import Literal

Norm = Literal["layer"]
NormPosition = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "gelu_tanh"]
Position = Literal["learned", "sinusoidal", "none"]
