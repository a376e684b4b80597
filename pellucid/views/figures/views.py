"""A figure of each view: `pellucid.figures.pattern(trace, block=1, head=3)`.

Each function takes what its view shows, and besides `theme`, "light" or "dark"; `size`, "page",
"slide" or "paper"; and `ax`, axes to draw into, where the view is a single block. It returns the
`Figure`, raises PellucidError where the model has no such thing, and touches nothing global.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pellucid.analysis.head_summary import HeadSummary
from pellucid.analysis.lens_reading import LensReading
from pellucid.analysis.pair import Pair
from pellucid.analysis.patching import Patching
from pellucid.analysis.rollout import Rollout
from pellucid.generation.step import Step
from pellucid.interop.older_way import OlderWay
from pellucid.text.tokenizer import Tokenizer
from pellucid.trace.cell import Place
from pellucid.trace.comparison import Comparison
from pellucid.trace.paths import Paths
from pellucid.trace.trace import Trace
from pellucid.training.film_trace import FilmTrace
from pellucid.training.run import TrainingRun
from pellucid.training.text_run import TextRun
from pellucid.views.catalogue.views import VIEWS
from pellucid.views.edits import said_below
from pellucid.views.figures.draw import draw_figure
from pellucid.views.figures.save import write_figure
from pellucid.views.figures.sizes import Size
from pellucid.views.figures.theme import Theme

__all__ = ["draw_figure", "write_figure", *VIEWS]


class Look(TypedDict, total=False):
    """How a figure is drawn, whatever it shows."""

    theme: str | Theme
    size: str | Size
    ax: Axes | None


def _draw(view: str, look: Look, *given: Any, **options: Any) -> Figure:
    blocks = VIEWS[view].build(*given, **options)
    return draw_figure((*blocks, *said_below(*given)), **look)


def vocabulary(trace: Trace, **look: Unpack[Look]) -> Figure:
    """Every token with its id; of a large vocabulary, the tokens of the prompt."""
    return _draw("vocabulary", look, trace)


def training_pairs(
    sentences: Sequence[str],
    tokenizer: Tokenizer,
    *,
    first: int = 0,
    pairs: int = 15,
    **look: Unpack[Look],
) -> Figure:
    """What a corpus asks: `pairs` contexts X and targets Y from pair `first` on."""
    return _draw("training_pairs", look, sentences, tokenizer, first=first, pairs=pairs)


def loss_curve(run: TrainingRun | TextRun, **look: Unpack[Look]) -> Figure:
    """The loss of a training, smoothed, over the floor or between the baselines."""
    return _draw("loss_curve", look, run)


def film_embeddings(watched: FilmTrace, **look: Unpack[Look]) -> Figure:
    """The tokens' rows on their way through a training, in the plane of its last step."""
    return _draw("film_embeddings", look, watched)


def film_pattern(
    watched: FilmTrace, *, block: int = 0, head: int = 0, **look: Unpack[Look]
) -> Figure:
    """A head's pattern at steps of a training."""
    return _draw("film_pattern", look, watched, block=block, head=head)


def film_probabilities(
    watched: FilmTrace, *, position: Place = -1, top: int = 5, **look: Unpack[Look]
) -> Figure:
    """The likeliest next tokens over a training, and the loss below them."""
    return _draw("film_probabilities", look, watched, position=position, top=top)


def token_table(trace: Trace, **look: Unpack[Look]) -> Figure:
    """The row of each token; of a large vocabulary, of the prompt's tokens."""
    return _draw("token_table", look, trace)


def position_table(trace: Trace, **look: Unpack[Look]) -> Figure:
    """The row of each place in the text; of many, those of the prompt."""
    return _draw("position_table", look, trace)


def input_matrix(trace: Trace, **look: Unpack[Look]) -> Figure:
    """Token plus position: H₀, what enters the first block."""
    return _draw("input_matrix", look, trace)


def projection_weights(
    trace: Trace, *, block: int = 0, head: int = 0, **look: Unpack[Look]
) -> Figure:
    """The weights that make a head's queries, keys and values."""
    return _draw("projection_weights", look, trace, block=block, head=head)


def queries_keys_values(
    trace: Trace, *, block: int = 0, head: int = 0, **look: Unpack[Look]
) -> Figure:
    """A head's queries, keys and values."""
    return _draw("queries_keys_values", look, trace, block=block, head=head)


def scores(trace: Trace, *, block: int = 0, head: int = 0, **look: Unpack[Look]) -> Figure:
    """How well each query matches each key, before the mask."""
    return _draw("scores", look, trace, block=block, head=head)


def masked_scores(trace: Trace, *, block: int = 0, head: int = 0, **look: Unpack[Look]) -> Figure:
    """The scores with the future shut out."""
    return _draw("masked_scores", look, trace, block=block, head=head)


def pattern(trace: Trace, *, block: int = 0, head: int = 0, **look: Unpack[Look]) -> Figure:
    """How each token shares out its attention; the future is hatched."""
    return _draw("pattern", look, trace, block=block, head=head)


def mixture(trace: Trace, *, block: int = 0, head: int = 0, **look: Unpack[Look]) -> Figure:
    """The pattern, the values, and what each token gathers: A·V."""
    return _draw("mixture", look, trace, block=block, head=head)


def flow(trace: Trace, *, block: int = 0, head: int = 0, **look: Unpack[Look]) -> Figure:
    """Who looks at whom: tokens joined to tokens, wider for larger shares."""
    return _draw("flow", look, trace, block=block, head=head)


def first_residual(trace: Trace, *, block: int = 0, **look: Unpack[Look]) -> Figure:
    """What attention gathered, added to the stream."""
    return _draw("first_residual", look, trace, block=block)


def first_norm(trace: Trace, *, block: int = 0, **look: Unpack[Look]) -> Figure:
    """A block's first norm, with the mean and deviation of each token's vector."""
    return _draw("first_norm", look, trace, block=block)


def network(trace: Trace, *, block: int = 0, position: Place = -1, **look: Unpack[Look]) -> Figure:
    """The feed-forward network at work on one token: units joined by weights."""
    return _draw("network", look, trace, block=block, position=position)


def feed_forward(trace: Trace, *, block: int = 0, **look: Unpack[Look]) -> Figure:
    """The three matrices of the feed-forward network: widened, bent, narrowed."""
    return _draw("feed_forward", look, trace, block=block)


def second_residual(trace: Trace, *, block: int = 0, **look: Unpack[Look]) -> Figure:
    """What the feed-forward network made, added to the stream."""
    return _draw("second_residual", look, trace, block=block)


def second_norm(trace: Trace, *, block: int = 0, **look: Unpack[Look]) -> Figure:
    """A block's second norm, with the mean and deviation of each token's vector."""
    return _draw("second_norm", look, trace, block=block)


def final_norm(trace: Trace, **look: Unpack[Look]) -> Figure:
    """The norm before the head, with the mean and deviation of each token's vector."""
    return _draw("final_norm", look, trace)


def top_logits(trace: Trace, *, position: Place = -1, top: int = 5, **look: Unpack[Look]) -> Figure:
    """The highest scores after a position."""
    return _draw("top_logits", look, trace, position=position, top=top)


def probabilities(
    trace: Trace, *, position: Place = -1, top: int = 10, **look: Unpack[Look]
) -> Figure:
    """The likeliest tokens after a position, and what is left for the others."""
    return _draw("probabilities", look, trace, position=position, top=top)


def generation(steps: Sequence[Step], *, sample: int = 0, **look: Unpack[Look]) -> Figure:
    """The steps of a generation, `list(model.generate(…))`, with the likeliest tokens."""
    return _draw("generation", look, steps, sample=sample)


def ladder(
    steps: Sequence[Step], *, sample: int = 0, step: int = 0, top: int = 8, **look: Unpack[Look]
) -> Figure:
    """From logits through softmax, temperature and filters to the choice of one step."""
    return _draw("ladder", look, steps, sample=sample, step=step, top=top)


def heads(trace: Trace, **look: Unpack[Look]) -> Figure:
    """The attention patterns of every block and head."""
    return _draw("heads", look, trace)


def stream_norms(trace: Trace, **look: Unpack[Look]) -> Figure:
    """How long the tokens' vectors in the residual stream are, block after block."""
    return _draw("stream_norms", look, trace)


def before_and_after(comparison: Comparison, **look: Unpack[Look]) -> Figure:
    """What an edit changed, from `pellucid.compare(trace, edited)`: steps, stream, what is next."""
    return _draw("before_and_after", look, comparison)


def two_prompts(pair: Pair, **look: Unpack[Look]) -> Figure:
    """Where two prompts differ, from `pellucid.pair(model, a, b)`: tokens, steps, what is next."""
    return _draw("two_prompts", look, pair)


def lens(reading: LensReading, *, halves: bool | None = None, **look: Unpack[Look]) -> Figure:
    """The likeliest next token at every place of the stream, `pellucid.lens(model, …)`."""
    return _draw("lens", look, reading, halves=halves)


def lens_at(
    reading: LensReading,
    *,
    position: Place = -1,
    halves: bool | None = None,
    **look: Unpack[Look],
) -> Figure:
    """How the guess after one position grows from place to place."""
    return _draw("lens_at", look, reading, position=position, halves=halves)


def contributions(paths: Paths, **look: Unpack[Look]) -> Figure:
    """What each head and network adds to a number, `trace.paths("logits", …)`, block by block."""
    return _draw("contributions", look, paths)


def patching(found: Patching, **look: Unpack[Look]) -> Figure:
    """The share of the difference that each place restores: `pellucid.patch(…)`."""
    return _draw("patching", look, found)


def head_shares(summary: HeadSummary, **look: Unpack[Look]) -> Figure:
    """What every head looks at, `pellucid.heads(model)`, kind by kind."""
    return _draw("head_shares", look, summary)


def rollout(rollout: Rollout, *, block: int = -1, **look: Unpack[Look]) -> Figure:
    """Attention rolled out over the blocks up to one, `pellucid.rollout(trace)`."""
    return _draw("rollout", look, rollout, block=block)


def parameter_histogram(trace: Trace, **look: Unpack[Look]) -> Figure:
    """How large the learned numbers are."""
    return _draw("parameter_histogram", look, trace)


def gradient_histogram(trace: Trace, **look: Unpack[Look]) -> Figure:
    """How large the derivatives of the loss are, from a trace with a target."""
    return _draw("gradient_histogram", look, trace)


def older_way(ways: OlderWay, **look: Unpack[Look]) -> Figure:
    """An RNN and an LSTM beside a decoder, `pellucid.interop.older_way.older_way()`."""
    return _draw("older_way", look, ways)
