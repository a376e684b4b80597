"""ShardedLearner: parameters, gradients and moments divided among the ranks by PyTorch's FSDP2."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

from pellucid.engine.torch_tensors import as_array
from pellucid.ops.operation import Array
from pellucid.training.learner import Part
from pellucid.training.moments import MEANS, Moments
from pellucid.training.shards import rows_of
from pellucid.training.torch_learner import STEP, TorchLearner


class ShardedLearner(TorchLearner):
    """Trains parameters of which each rank has some rows; a block is gathered while it is at work.

    With "hybrid" sharding the ranks of one machine have a whole model between them, and those of
    different machines that have the same rows add up their gradients. Every method is for all
    ranks at once.
    """

    @property
    def shards(self) -> int:
        return self.ranks.local_size if self.is_hybrid else self.ranks.size

    @property
    def shard(self) -> int:
        """Which rows this rank has, counted from 0."""
        return self.ranks.rank % self.shards

    @property
    def is_written(self) -> bool:
        """Whether this rank writes its shard: of several with the same rows, one does."""
        return self.ranks.rank < self.shards

    @property
    def is_hybrid(self) -> bool:
        return self.execution.sharding == "hybrid"

    def spread(self, module: Any) -> Any:
        sizes = {"replicate": self.ranks.size // self.shards} if self.is_hybrid else {}
        sizes["shard"] = self.shards
        mesh = init_device_mesh(
            self.device.type, tuple(sizes.values()), mesh_dim_names=tuple(sizes)
        )
        for block in module.blocks:
            fully_shard(block, mesh=mesh, mp_policy=self.rounding())
        fully_shard(module, mesh=mesh)
        # Said of the logits, which nobody changes.
        warnings.filterwarnings("ignore", "FSDP2-wrapped module .* returned a view tensor")
        return module

    def rounding(self) -> MixedPrecisionPolicy:
        """How a block's parameters are gathered: in bfloat16, if products are made in it.

        Autocast alone would gather them in float32 and keep a rounded copy of each until the step
        is over, of the whole model on every rank. Gradients are added up in float32, and what the
        stream carries from block to block stays in it.
        """
        if not self.execution.autocast:
            return MixedPrecisionPolicy()
        return MixedPrecisionPolicy(
            param_dtype=torch.bfloat16, reduce_dtype=torch.float32, cast_forward_inputs=False
        )

    def adding_up(self, *, is_last: bool) -> AbstractContextManager[Any]:
        self.module.set_requires_gradient_sync(is_last)
        return nullcontext()

    def gradients(self) -> list[torch.Tensor]:
        return [parameter.grad.to_local() for parameter in self.named.values()]

    def gradient_norm(self) -> float:
        whole = [parameter.grad for parameter in self.named.values()]
        return float(torch.nn.utils.get_total_norm(whole).full_tensor())

    def gathered(self, tensor: Any) -> Array:
        """The whole of what is divided, on every rank."""
        return as_array(tensor.detach().full_tensor())

    def losses(self, ids: Array, targets: Array) -> Array:
        found = super().losses(ids, targets)
        # What was gathered for it would stay until the next way back.
        self.module.reshard()
        return found

    def is_finite(self) -> bool:
        here = all(bool(p.to_local().isfinite().all()) for p in self.named.values())
        return not self.ranks.any(not here)

    def diagnosis(self, parts: Sequence[Part]) -> str:
        """Nothing: no rank has room for all the numbers that it takes to find out."""
        return ""

    def parameter_rows(self) -> dict[str, Array]:
        """This rank's rows of the parameters."""
        return {name: as_array(p.detach().to_local()) for name, p in self.named.items()}

    def rows(self) -> dict[str, Array]:
        """Copies of this rank's rows: of the parameters, and of what the optimizer remembers."""
        found = {}
        for name, parameter in self.named.items():
            found[name] = parameter.detach().to_local()
            for kind in MEANS:
                found[f"{kind}/{name}"] = self.remembered(parameter, kind).to_local()
        return {name: as_array(rows.cpu().clone()) for name, rows in found.items()}

    def restore(self, moments: Moments) -> None:
        for name, parameter in self.named.items():
            start, stop = rows_of(parameter.shape[0], self.shard, self.shards)
            means = moments.means(name, self.betas, start, stop)
            state = {STEP: self.step_count(moments.steps)}
            for kind, rows in zip(MEANS, means, strict=True):
                state[kind] = torch.zeros_like(parameter)
                state[kind].to_local().copy_(torch.from_numpy(rows))
            self.optimizer.state[parameter] = state
