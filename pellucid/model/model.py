"""Model: what a user holds. A graph, its parameters, a tokenizer and an engine, read-only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.initialisation import initialise
from pellucid.decoder.parameters import check_parameters, parameter_specs, read_only
from pellucid.engine.engine import Engine
from pellucid.engine.engines import make_engine
from pellucid.engine.plan import Keep
from pellucid.errors import PellucidError, check_whole, did_you_mean
from pellucid.generation.generation import Generation
from pellucid.generation.sampling import Sampling
from pellucid.model import inputs
from pellucid.model.generating import start_generation
from pellucid.model.sharing import WidenedOnUse, shared
from pellucid.model.vocabulary import check_vocabulary
from pellucid.ops.half import HalfMatrix
from pellucid.ops.operation import Array
from pellucid.showing import Page, to_explorer
from pellucid.text.tokenizer import Tokenizer
from pellucid.trace.editing import Editing
from pellucid.trace.edits import Edit
from pellucid.trace.parameters import Parameters
from pellucid.trace.record import record
from pellucid.trace.tensor import TracedTensor
from pellucid.trace.trace import Trace

if TYPE_CHECKING:
    from pellucid.engine.torch_module import TorchDecoder


class Model:
    """A decoder with its weights.

    `parameters` are arrays by name that cannot be written to: training hands out a new model.
    """

    def __init__(
        self,
        config: ModelConfig,
        parameters: Mapping[str, Array],
        tokenizer: Tokenizer | None = None,
        *,
        dtype: str | None = None,
        copy: bool = True,
    ) -> None:
        """Take copies of the parameters, rounded to `dtype` where one is given.

        Without it they are float64 where any of them has more than 32 bits, else float32. Without
        `copy` those that are of this precision are held as they are: nobody may change them then;
        a `HalfMatrix` stays in 16 bits.

        Raises:
            PellucidError: a parameter is missing, unknown or of a wrong shape, or the tokenizer has
                more tokens than the model, apart from those that were added to it.
        """
        self.config = config
        self.graph = build_graph(config)
        self.specs = parameter_specs(self.graph)
        check_parameters(self.specs, parameters)
        precision = check_dtype(dtype) or widest(parameters.values())
        hold = read_only if copy else shared
        held = hold({name: parameters[name] for name in self.specs}, precision)
        halves = any(isinstance(array, HalfMatrix) for array in held.values())
        self.parameters: Mapping[str, Array] = WidenedOnUse(held) if halves else held
        self.tokenizer = tokenizer
        if tokenizer is not None:
            check_vocabulary(tokenizer, config.vocab_size)
        self.engine: Engine = make_engine("numpy", self.graph, held)

    @classmethod
    def from_config(
        cls,
        config: ModelConfig,
        tokenizer: Tokenizer | None = None,
        *,
        seed: int = 0,
        dtype: str = "float32",
        scheme: str = "gpt2",
    ) -> Model:
        """A model with fresh weights; `scheme` is "gpt2", "torch" or "lesson-3".

        Raises:
            PellucidError: the scheme or dtype is unknown, or the seed is no whole number.
        """
        check_whole("seed", seed, 0)
        rng = np.random.default_rng(seed)
        drawn = initialise(build_graph(config), scheme=scheme, rng=rng, dtype=check_dtype(dtype))
        return cls(config, drawn, tokenizer)

    @property
    def dtype(self) -> str:
        """The precision of its numbers: "float32" or "float64"."""
        return str(self.engine.dtype)

    @property
    def n_parameters(self) -> int:
        """How many numbers it has learned; a tied head counts once."""
        return sum(spec.size for spec in self.specs.values())

    def astype(self, dtype: str) -> Model:
        """The same model in another precision."""
        return Model(self.config, self.parameters, self.tokenizer, dtype=dtype)

    def using(self, engine: str, *, device: str = "auto", dtype: str | None = None) -> Model:
        """The same model, its weights in the same memory, run by another engine.

        What is made of it, by `astype` or by copying, is run by NumPy again.

        Args:
            engine: "numpy", or "torch".
            device: for torch: "auto" (a GPU where there is one), "cpu", "cuda", "mps".
            dtype: for torch: what it computes in, "bfloat16" and "float16" among them; the weights'
                own unless given. Traces then hold float32 numbers that were rounded to 16 bits.

        Raises:
            PellucidError: PyTorch is not installed, or there is no such engine, device or dtype.
        """
        made = make_engine(engine, self.graph, self.parameters, device=device, dtype=dtype)
        return self.run_by(made)

    def run_by(self, engine: Engine) -> Model:
        """The same model, its weights in the same memory, run by an engine made for it."""
        other = object.__new__(Model)
        other.__dict__.update(self.__dict__)
        other.engine = engine
        return other

    def to_torch(self, *, device: str = "auto", dtype: str | None = None) -> TorchDecoder:
        """A `torch.nn.Module` of one's own, with a copy of the weights under the same names.

        `pellucid.from_torch` makes a model of it again.

        Raises:
            PellucidError: PyTorch is not installed, or there is no such device or dtype.
        """
        from pellucid.model.torch_models import to_torch

        return to_torch(self, device=device, dtype=dtype)

    @cached_property
    def vocabulary(self) -> tuple[str, ...] | None:
        """A label for each token id, or None without a tokenizer."""
        if self.tokenizer is None:
            return None
        known = self.tokenizer.labels(range(self.n_tokens))
        unused = range(self.n_tokens, self.config.vocab_size)
        return (*known, *(f"unused {i}" for i in unused))

    @cached_property
    def labelled_parameters(self) -> Parameters:
        return Parameters(self.specs, self.parameters, self.vocabulary)

    def parameter(self, name: str) -> TracedTensor:
        """A parameter with its dims and labels.

        Raises:
            PellucidError: there is none of that name; near names are offered.
        """
        if name not in self.specs:
            near = did_you_mean(name, self.specs)
            raise PellucidError(f'This model has no parameter "{name}".{near}')
        return self.labelled_parameters[name]

    def trace(
        self,
        prompt: str | None = None,
        *,
        ids: Sequence[int] | None = None,
        target: str | int | None = None,
        edits: Iterable[Edit] = (),
        names: Iterable[str] | None = None,
        memory: float | None = None,
    ) -> Trace:
        """Run over a prompt (or ids) and keep every tensor, or those of `names`.

        Args:
            prompt: text; a start token is put before it where the tokenizer has one.
            ids: token ids instead, exactly as they are.
            target: a token that should come next (its text or id), or "next": each position's next
                token. With it the trace has a loss and gradients.
            edits: changes to this run, in order: `[pellucid.zero("blocks.0.attn.pattern", head=0)]`
                sets one head's pattern to 0.
            names: the tensors to keep, with their gradients; parameters' gradients stay anyway.
            memory: bytes that the run may take; nine tenths of what is available unless given.

        Raises:
            PellucidError: an unknown word, a prompt longer than the context, an unknown name, or
                more memory needed than there is; or an edit that cannot be made, as `Editing.of`
                says.
        """
        text = inputs.read_prompt(self, prompt, ids)
        targets = None if target is None else inputs.read_target(self, text, target)
        tokens = self.labels(text)
        edited = Editing.of(edits, self.graph, self.labelled_parameters, tokens=tokens)
        return record(
            edited.engine(self.engine),
            config=self.config,
            parameters=edited.parameters,
            edits=edited.edits,
            ids=text,
            tokens=tokens,
            vocabulary=self.vocabulary,
            targets=targets,
            names=names,
            memory=memory,
        )

    def labels(self, ids: Iterable[int]) -> tuple[str, ...]:
        """How each token reads; its id where there is no tokenizer."""
        names = self.vocabulary
        return tuple(str(i) if names is None else names[i] for i in ids)

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        reply: bool = True,
        template: str | None = None,
        **variables: Any,
    ) -> list[int]:
        """The ids of a conversation, written down by the model's chat template.

        `model.generate(ids=model.chat([{"role": "user", "content": "hello"}]))` answers it; `trace`
        takes the ids too. A special token's spelling within a message is text.

        Args:
            messages: who says what, in order.
            reply: whether the model's turn is begun behind the last message.
            template: to be used instead of the model's own.
            variables: what else the template asks for.

        Raises:
            PellucidError: there is no tokenizer or no template, the template refuses the
                conversation, fails, or takes too much; or jinja2 is not installed.
        """
        from pellucid.text.chat import chat_ids

        return chat_ids(
            inputs.need_tokenizer(self),
            messages,
            reply=reply,
            template=template,
            variables=variables,
        )

    def logits(self, ids: Any) -> Array:
        """Scores of what comes next: ids `[batch, position]` to `[batch, position, vocab]`.

        Raises:
            PellucidError: an id out of range, or more positions than the context.
        """
        batch = inputs.check_batch(self, ids)
        return self.engine.forward({"ids": batch}, outputs=("logits",))["logits"]

    def loss(self, contexts: Any, targets: Any, lengths: Any = None) -> float:
        """Mean cross-entropy over all targets, in nats.

        Args:
            contexts: ids `[batch, position]`, padded at the right.
            targets: `[batch]`, what follows each context's last real token; or `[batch, position]`,
                −1 where there is none.
            lengths: `[batch]`, how many tokens of each context are real; found from the padding
                token unless given.

        Raises:
            PellucidError: shapes that do not fit, ids out of range, no target at all.
        """
        given = inputs.check_pairs(self, contexts, targets, lengths)
        return float(self.engine.forward(given, outputs=("loss",))["loss"][0])

    def gradients(self, contexts: Any, targets: Any, lengths: Any = None) -> dict[str, Array]:
        """The derivative of `loss` by every parameter, by name; arguments and errors as there."""
        given = inputs.check_pairs(self, contexts, targets, lengths)
        run = self.engine.forward(given, keep=Keep.BACKWARD, outputs=("loss",))
        found = self.engine.backward(run).parameters
        return {name: found[name] for name in self.parameters}

    def generate(
        self,
        prompt: str | Sequence[str] | None = None,
        *,
        ids: Sequence[int] | Sequence[Sequence[int]] | None = None,
        max_new_tokens: int = 20,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repetition_penalty: float | None = None,
        stop: str | Iterable[str] = (),
        stop_ids: Iterable[int] = (),
        samples: int = 1,
        seed: int = 0,
        trace: bool = False,
        edits: Iterable[Edit] = (),
    ) -> Generation:
        """Continue a prompt, one step at a time: greedily unless a sampling option is given.

        A text that outgrows the context is read through a window, its last `block_size` tokens,
        which is read anew in each step: every token in it has moved. Padding and start tokens stand
        for nothing in a text and are never chosen.

        Args:
            prompt: text, or several texts, of any lengths, to be continued side by side.
            ids: token ids instead, exactly as they are.
            max_new_tokens: the most that are added to a text.
            temperature: divides the logits; 0 takes the likeliest token.
            top_k: draw from so many of the likeliest tokens.
            top_p: draw from the fewest tokens that hold this share of probability.
            min_p: draw from tokens at least this share as likely as the likeliest.
            repetition_penalty: above 1 makes tokens rarer that the text has, the prompt included.
            stop: a string, or several, before which the text ends, wherever tokens divide it.
            stop_ids: tokens that end the text, beside the end token.
            samples: how many continuations of each prompt.
            seed: of the first sample; the next have seed + 1, seed + 2, …, and come out the same
                when they are asked for alone.
            trace: keep every tensor of one text; see `Generation.traces`.
            edits: changes to the runs, as `trace` takes them. Places in the text are those in the
                prompt; in a text that slides, those in the window. What is remembered of a position
                is what it was at the step that read it.

        Raises:
            PellucidError: an unknown word, an option out of range, or an edit that cannot be made.
        """
        return start_generation(
            self,
            inputs.read_all_ids(self, prompt, ids),
            max_new_tokens=max_new_tokens,
            sampling=Sampling.from_options(
                temperature=temperature,
                top_k=top_k,
                top_p=top_p,
                min_p=min_p,
                repetition_penalty=repetition_penalty,
            ),
            stop=stop,
            stop_ids=stop_ids,
            samples=samples,
            seed=seed,
            trace=trace,
            edits=edits,
        )

    @property
    def n_tokens(self) -> int:
        """How many ids there are tokens for; further rows of the vocabulary are mere padding."""
        rows = self.config.vocab_size
        return rows if self.tokenizer is None else min(rows, self.tokenizer.vocab_size)

    def next_logits(self, ids: Sequence[int]) -> Array:
        """Scores of what follows the last of `ids`: `[vocab]`; −∞ for ids that no token has."""
        batch = inputs.check_batch(self, [list(ids)])
        last = np.array([batch.shape[1] - 1])
        scores: Array = self.engine.forward({"ids": batch}, places=last)["logits"][0, 0]
        scores[self.n_tokens :] = -np.inf
        return scores

    def generate_text(self, prompt: str | None = None, **options: Any) -> str:
        """The prompt and what `generate` adds to it, as text, special tokens left out.

        Raises:
            PellucidError: as `generate`, and without a tokenizer, or where several texts are asked
                for.
        """
        inputs.need_tokenizer(self)
        texts = self.generate(prompt, **options).finish().texts
        if len(texts) > 1:
            raise PellucidError(
                f"These are {len(texts)} texts: take generate(…).finish().texts instead."
            )
        return texts[0].prompt + texts[0].text

    def explorer(
        self,
        prompt: str | None = None,
        path: str | Path | None = None,
        *,
        ids: Sequence[int] | None = None,
        target: str | int | None = None,
        title: str = "a model",
        live: bool | None = None,
    ) -> Page:
        """A page in which every number answers, opened at a prompt (or ids).

        Up to some five million weights it runs any text by itself. Of a larger model it holds this
        text's trace; in a notebook with anywidget the kernel runs any text for it: `live` asks for
        that, or forbids it. With a target, as in `trace`, it has gradients.

        Raises:
            PellucidError: as `trace`, and as `Trace.explorer`; a live page is asked for, and
                anywidget is not installed.
        """
        trace = self.trace(prompt, ids=ids, target=target)
        said = {"title": title, "prompt": prompt, "tokenizer": self.tokenizer}
        page = to_explorer(trace, model=self, live=live, **said)
        if path is not None:
            page.save(path)
        return page

    def save(self, folder: str | Path) -> Path:
        """Write `config.json`, `model.safetensors` and `tokenizer.json`; returns the folder.

        Raises:
            PellucidError: the folder cannot be written.
        """
        from pellucid.model.folder import save

        return save(self, folder)

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle and copy make a copy from."""
        return Model, (self.config, dict(self.parameters), self.tokenizer)

    def __repr__(self) -> str:
        c = self.config
        return (
            f"<Model: {self.n_parameters:,} parameters in {self.dtype}, n_layer={c.n_layer}, "
            f"n_head={c.n_head}, n_embd={c.n_embd}, vocab_size={c.vocab_size}, "
            f"block_size={c.block_size}>"
        )


def widest(arrays: Iterable[Array]) -> str:
    """The precision that holds all of these: "float64" where one has more than 32 bits."""
    return "float64" if any(array.dtype.itemsize > 4 for array in arrays) else "float32"


def check_dtype(dtype: str | None) -> str | None:
    """The dtype, if it is one that a model can have."""
    if dtype not in (None, "float32", "float64"):
        raise PellucidError(f"dtype={dtype!r} is neither float32 nor float64.")
    return dtype
