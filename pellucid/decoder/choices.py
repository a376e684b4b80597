"""The words that a config may choose from."""

from typing import Literal

Norm = Literal["layer", "rms"]
NormPosition = Literal["pre", "post", "sandwich", "output"]
Activation = Literal["relu", "relu_squared", "gelu", "gelu_tanh", "gelu_quick", "silu"]
Position = Literal["learned", "sinusoidal", "rotary", "alibi", "none"]
QueryKeyNorm = Literal["none", "head", "head_each", "all"]
RotaryLayout = Literal["halves", "pairs"]
RotaryScalingKind = Literal["linear", "dynamic", "yarn", "llama3", "longrope"]
