"""TorchLearner: gradients by autograd, moved along by PyTorch's AdamW; one process, or several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from torch.nn.parallel import DistributedDataParallel

from pellucid.decoder.architecture import build_graph
from pellucid.engine.numpy_engine import NumpyEngine
from pellucid.engine.torch_module import TorchDecoder
from pellucid.engine.torch_tensors import as_array, as_tensor, find_dtype
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.ops.operation import Array
from pellucid.training.environment import Environment
from pellucid.training.execution import Execution
from pellucid.training.learner import Part
from pellucid.training.moments import MEANS, STEPS, Moments
from pellucid.training.nonfinite import what_went_wrong
from pellucid.training.ranks import ALONE, Ranks
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.torch_memory import bytes_needed, bytes_there
from pellucid.training.torch_ranks import own_device

STEP, LOSSES = "step", "loss.per_position"


class TorchLearner:
    """Trains a copy of a model's parameters. Arguments and methods as `Learner` has them.

    Each of several ranks has all of the parameters; gradients are summed over the ranks.
    """

    def __init__(
        self, start: Model, recipe: TextRecipe, execution: Execution, ranks: Ranks = ALONE
    ) -> None:
        """Take copies of the model's parameters to the device.

        Raises:
            PellucidError: there is no such device, or it does not have numbers of this type.
        """
        self.start = start
        self.recipe = recipe
        self.execution = execution
        self.ranks = ranks
        self.device = own_device(execution.device, ranks)
        find_dtype(start.dtype, self.device)
        self.graph = build_graph(start.config, dropout=recipe.dropout)
        self.module = self.make_module()
        self.runs = self.spread(self.module)
        found = dict(self.module.named_parameters())
        self.named = {name: found[name] for name in start.specs}
        """The module's parameters, in the order of the model's."""
        self.betas = (recipe.beta1, recipe.beta2)
        self.optimizer = torch.optim.AdamW(
            self.groups(),
            lr=recipe.learning_rate,
            betas=self.betas,
            eps=recipe.epsilon,
            fused=True,
        )

    def make_module(self) -> Any:
        """The decoder, with all that is done to single blocks."""
        module = TorchDecoder(self.graph, self.start.parameters, device=str(self.device))
        module.checkpoint_activations = self.execution.checkpoint_activations
        if self.execution.compile:
            for block in module.blocks:
                block.compile()
        return module

    def spread(self, module: Any) -> Any:
        """What is called in the module's place, so that the ranks add up their gradients."""
        if self.ranks.size == 1:
            return module
        return DistributedDataParallel(module, gradient_as_bucket_view=True)

    def groups(self) -> list[dict[str, Any]]:
        """The parameters for the optimizer: those that decay, and those that do not."""
        specs = self.start.specs
        decayed = {name for name, spec in specs.items() if spec.kind == "matrix"}
        shrunk = [p for name, p in self.named.items() if name in decayed]
        spared = [p for name, p in self.named.items() if name not in decayed]
        return [
            {"params": shrunk, "weight_decay": self.recipe.weight_decay},
            {"params": spared, "weight_decay": 0},
        ]

    def environment(self) -> Environment:
        on_gpu = self.device.type == "cuda"
        name = torch.cuda.get_device_name(self.device) if on_gpu else self.device.type
        return Environment.here("torch", self.ranks, torch=str(torch.__version__), device=name)

    @property
    def shards(self) -> int:
        """In how many parts the parameters lie with the ranks."""
        return 1

    @property
    def precision(self) -> str:
        return "bfloat16" if self.execution.autocast else self.start.dtype

    @property
    def parameters(self) -> Mapping[str, Array]:
        return {name: self.gathered(parameter) for name, parameter in self.named.items()}

    def gathered(self, tensor: Any) -> Array:
        """The whole of a parameter, or of what the optimizer remembers of it."""
        return as_array(tensor)

    # A step

    def loss_and_gradients(self, parts: Sequence[Part]) -> tuple[float, float]:
        """Both are sums over all tokens of all ranks, divided by their number."""
        self.optimizer.zero_grad()
        losses = []
        with self.within_memory():
            for part in parts:
                with self.adding_up(is_last=part is parts[-1]):
                    losses.append(self.learn_from(part))
            shares = [part.share for part in parts]
            total = float(np.dot(torch.stack(losses).cpu().double().numpy(), shares))
        return self.ranks.sums(total)[0], self.gradient_norm()

    def learn_from(self, part: Part) -> torch.Tensor:
        """Add a part's gradients to those that are there; returns its mean loss."""
        loss = self.run(part.ids, part.targets, part.noise).loss
        # What spreads the work takes the mean over the ranks: a sum is meant.
        (loss * (part.share * self.ranks.size)).backward()
        detached: torch.Tensor = loss.detach()
        return detached

    def run(
        self, ids: Array, targets: Array, noise: Array | None = None, keep: Sequence[str] = ()
    ) -> Any:
        """The module's output for these windows."""
        tensors = {"ids": ids, "targets": targets}
        if noise is not None:
            tensors["noise"] = noise
        given = {name: as_tensor(array).to(self.device) for name, array in tensors.items()}
        with self.casting():
            return self.runs(**given, keep=keep)

    def casting(self) -> AbstractContextManager[Any]:
        """Where products are made in bfloat16, if they are."""
        if not self.execution.autocast:
            return nullcontext()
        casting: AbstractContextManager[Any] = torch.autocast(self.device.type, torch.bfloat16)
        return casting

    def adding_up(self, *, is_last: bool) -> AbstractContextManager[Any]:
        """Have the ranks add up their gradients after the last part of a batch alone."""
        if self.ranks.size == 1 or is_last:
            return nullcontext()
        silent: AbstractContextManager[Any] = self.runs.no_sync()
        return silent

    def gradients(self) -> list[torch.Tensor]:
        """This rank's, of the parameters it has."""
        return [parameter.grad for parameter in self.named.values()]

    def gradient_norm(self) -> float:
        """The length √Σ g² of the whole gradient."""
        return float(torch.nn.utils.get_total_norm(self.gradients()))

    def move(self, *, norm: float, learning_rate: float) -> None:
        if 0 < self.recipe.clip < norm:
            torch._foreach_mul_(self.gradients(), self.recipe.clip / norm)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        with self.within_memory():
            self.optimizer.step()
        self.optimizer.zero_grad()

    # Looking

    def losses(self, ids: Array, targets: Array) -> Array:
        with self.within_memory(), torch.no_grad():
            return as_array(self.run(ids, targets, keep=(LOSSES,)).values[LOSSES])

    def rehearse(self, part: Part) -> None:
        with self.within_memory():
            self.learn_from(part).item()
        self.optimizer.zero_grad()

    def memory_needed(self, windows: int, block_size: int) -> int:
        return bytes_needed(
            self.graph,
            self.execution,
            self.start.dtype,
            windows=windows,
            block_size=block_size,
            shards=self.shards,
        )

    def memory_there(self) -> int | None:
        return bytes_there(self.device, self.ranks.local_size)

    def is_finite(self) -> bool:
        return all(bool(p.isfinite().all()) for p in self.named.values())

    def diagnosis(self, parts: Sequence[Part]) -> str:
        """As the NumPy engine finds it, from the same parameters."""
        engine = NumpyEngine(self.graph, self.parameters)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = (what_went_wrong(engine, part.given) for part in parts)
            here = next(filter(None, found), "")
        # What is wrong with this rank's windows may be well with another's.
        return next(filter(None, self.ranks.tell_all(here)), "")

    @contextmanager
    def within_memory(self) -> Iterator[None]:
        """Raise `PellucidError` where memory runs out, with what takes less."""
        try:
            yield
        except RuntimeError as error:
            if not ran_out(error):
                raise
            options = [f"a larger accumulate (now {self.recipe.accumulate})"]
            options.append(f"a smaller batch_size (now {self.recipe.batch_size})")
            if not self.execution.checkpoint_activations:
                options.append("checkpoint_activations")
            raise PellucidError(
                f"The memory of {self.device} has run out. What takes less: {', '.join(options)}, "
                "or a smaller block_size."
            ) from None

    # What the optimizer remembers

    def state(self) -> dict[str, Array]:
        """AdamW's two running means [parameter], in the order of the parameters."""
        laid_out = {
            kind: np.concatenate(
                [self.gathered(self.remembered(p, kind)).ravel() for p in self.named.values()]
            )
            for kind in MEANS
        }
        return laid_out | {STEPS: np.array([self.steps])}

    @property
    def steps(self) -> int:
        """How many the optimizer has taken."""
        first = self.optimizer.state.get(next(iter(self.named.values())))
        return int(first[STEP]) if first else 0

    def remembered(self, parameter: Any, kind: str) -> Any:
        """One of the running means of a parameter; zeros before the first step."""
        state = self.optimizer.state
        return state[parameter][kind] if parameter in state else torch.zeros_like(parameter)

    def restore(self, moments: Moments) -> None:
        for name, parameter in self.named.items():
            means = moments.means(name, self.betas, 0, len(parameter))
            state = {STEP: self.step_count(moments.steps)}
            for kind, array in zip(MEANS, means, strict=True):
                state[kind] = torch.tensor(array, device=self.device)
            self.optimizer.state[parameter] = state

    def step_count(self, steps: int) -> torch.Tensor:
        """A number of steps as the fused optimizer reads it: on the device."""
        return torch.tensor(float(steps), dtype=torch.float32, device=self.device)


def ran_out(error: RuntimeError) -> bool:
    """Whether an error of PyTorch's says that a device's memory, or the machine's, has run out."""
    said = str(error)
    return isinstance(error, torch.OutOfMemoryError) or any(
        words in said for words in ("out of memory", "can't allocate memory", "not enough memory")
    )
