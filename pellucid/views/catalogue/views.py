"""The views by name: what each needs, what makes its blocks, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pellucid.views.catalogue import (
    attention,
    block,
    contributions,
    data,
    embeddings,
    feed_forward,
    film,
    generation,
    head_shares,
    layers,
    lens,
    older_way,
    patching,
    prediction,
    training,
)
from pellucid.views.comparison import before_and_after
from pellucid.views.pair import two_prompts
from pellucid.views.scene import Block

Needs = Literal[
    "trace",
    "run",
    "corpus",
    "steps",
    "gradient",
    "ways",
    "film",
    "comparison",
    "pair",
    "lens",
    "shares",
    "rollout",
    "paths",
    "patching",
]
"""What a view is made from: a trace; a training; sentences and a tokenizer; the steps of a
generation; a trace with a target; a comparison with the older way; a text at every step of a
training; a comparison of two runs over one text; a pair of prompts; a reading by the lens; what
heads look at; attention rolled out; the components of a number; a patching."""


@dataclass(frozen=True)
class View:
    """A view: `build(trace)`, or `build` of whatever it `needs`, makes its blocks.

    `build` raises PellucidError where the model has no such thing, such as positions.
    """

    name: str
    title: str
    needs: Needs
    build: Callable[..., tuple[Block, ...]]
    says: str
    """In a sentence, for whoever sees it for the first time."""


_IN_ORDER = (
    View(
        "vocabulary",
        "Vocabulary",
        "trace",
        data.vocabulary,
        "Every token that the model knows, and the id that stands for it.",
    ),
    View(
        "training_pairs",
        "Training pairs",
        "corpus",
        data.training_pairs,
        "Each beginning of a sentence is a question; the token that comes next is its answer.",
    ),
    View(
        "loss_curve",
        "Loss curve",
        "run",
        training.loss_curve,
        "How far the model's answers were from the truth as it was trained, and how far they "
        "must stay.",
    ),
    View(
        "film_embeddings",
        "Embeddings on their way",
        "film",
        film.film_embeddings,
        "Each token's row as the training moved it, seen in the plane of its last step.",
    ),
    View(
        "film_pattern",
        "A pattern as it forms",
        "film",
        film.film_pattern,
        "How one head shared out its attention at steps of the training.",
    ),
    View(
        "film_probabilities",
        "Probabilities over a training",
        "film",
        film.film_probabilities,
        "How likely the model held each next token to be as it learned, and its loss meanwhile.",
    ),
    View(
        "token_table",
        "Token table",
        "trace",
        embeddings.token_table,
        "A learned row of numbers for each token.",
    ),
    View(
        "position_table",
        "Position table",
        "trace",
        embeddings.position_table,
        "A row of numbers for each place in the text.",
    ),
    View(
        "input_matrix",
        "Input matrix H₀",
        "trace",
        embeddings.input_matrix,
        "What enters the first block: each token's row plus the row of its place.",
    ),
    View(
        "projection_weights",
        "Weights of queries, keys and values",
        "trace",
        attention.projection_weights,
        "The three learned matrices that make queries, keys and values of each token's row.",
    ),
    View(
        "queries_keys_values",
        "Queries, keys and values",
        "trace",
        attention.queries_keys_values,
        "What each token looks for, what it is found by, and what it hands over.",
    ),
    View(
        "scores",
        "Scores",
        "trace",
        attention.scores,
        "How well each token's query (row) matches each token's key (column).",
    ),
    View(
        "masked_scores",
        "Masked scores",
        "trace",
        attention.masked_scores,
        "The same scores, the future shut out: no token may look at those after it.",
    ),
    View(
        "pattern",
        "Attention pattern",
        "trace",
        attention.pattern,
        "How each token (row) shares out its attention among those up to itself (columns).",
    ),
    View(
        "mixture",
        "Mixture A·V",
        "trace",
        attention.mixture,
        "What each token gathers: the rows of V, mixed by its row of A.",
    ),
    View(
        "flow",
        "Who looks at whom",
        "trace",
        attention.flow,
        "Each token joined to those that it takes from: the wider the line, the larger its share.",
    ),
    View(
        "first_residual",
        "First residual",
        "trace",
        block.first_residual,
        "What attention gathered is added to what was there.",
    ),
    View(
        "first_norm",
        "First norm",
        "trace",
        block.first_norm,
        "Each token's vector is brought to mean 0 and deviation 1, then stretched and shifted.",
    ),
    View(
        "network",
        "Feed-forward network",
        "trace",
        feed_forward.network,
        "The feed-forward network at work on one token: what comes in, what lights up, what "
        "comes out.",
    ),
    View(
        "feed_forward",
        "Feed-forward matrices",
        "trace",
        feed_forward.feed_forward,
        "All tokens on their way through the same network: widened, bent, narrowed.",
    ),
    View(
        "second_residual",
        "Second residual",
        "trace",
        block.second_residual,
        "What the feed-forward network made is added to what was there.",
    ),
    View(
        "second_norm",
        "Second norm",
        "trace",
        block.second_norm,
        "Again each token's vector is brought to mean 0 and deviation 1.",
    ),
    View(
        "final_norm",
        "Final norm",
        "trace",
        block.final_norm,
        "What the head reads: each token's vector once more at mean 0 and deviation 1.",
    ),
    View(
        "top_logits",
        "Highest logits",
        "trace",
        prediction.top_logits,
        "The tokens with the highest scores to come next.",
    ),
    View(
        "probabilities",
        "Probabilities",
        "trace",
        prediction.probabilities,
        "How likely each token is to come next.",
    ),
    View(
        "generation",
        "Generation",
        "steps",
        generation.generation,
        "One token after another: what was read, what was likely, and what was chosen.",
    ),
    View(
        "ladder",
        "From logits to a choice",
        "steps",
        generation.ladder,
        "What softmax, temperature and each filter make of the same logits, step by step.",
    ),
    View(
        "heads",
        "Every block and head",
        "trace",
        layers.heads,
        "The attention patterns of the whole model side by side.",
    ),
    View(
        "stream_norms",
        "Growth of the stream",
        "trace",
        layers.stream_norms,
        "How long each token's vector is as blocks add to it.",
    ),
    View(
        "before_and_after",
        "Before and after",
        "comparison",
        before_and_after,
        "What an edit changed: each step, the stream at each token, and what comes next.",
    ),
    View(
        "two_prompts",
        "Two prompts",
        "pair",
        two_prompts,
        "Where two prompts differ: token by token, step by step, and in what comes next.",
    ),
    View(
        "lens",
        "Logit lens",
        "lens",
        lens.lens,
        "What the model would say if it ended at a place of its stream: the likeliest next token.",
    ),
    View(
        "lens_at",
        "How a guess grows",
        "lens",
        lens.lens_at,
        "The same after one token: how likely the model's answer is at each place, and what is "
        "likelier.",
    ),
    View(
        "contributions",
        "What each part adds",
        "paths",
        contributions.contributions,
        "What every head and every feed-forward network adds to one logit, directly.",
    ),
    View(
        "patching",
        "What brings an answer back",
        "patching",
        patching.patching,
        "How much of one prompt's answer each place of its run restores in the run of another.",
    ),
    View(
        "head_shares",
        "What heads look at",
        "shares",
        head_shares.head_shares,
        "How much of its attention each head gives to the token before, to the first one, to an "
        "earlier one of its kind, and to what followed that.",
    ),
    View(
        "rollout",
        "Attention rollout",
        "rollout",
        head_shares.rollout,
        "How much each token would hold of each other one if blocks did nothing but attend.",
    ),
    View(
        "parameter_histogram",
        "Sizes of parameters",
        "trace",
        training.parameter_histogram,
        "How large the learned numbers are.",
    ),
    View(
        "gradient_histogram",
        "Sizes of gradients",
        "gradient",
        training.gradient_histogram,
        "How strongly the loss depends on the learned numbers.",
    ),
    View(
        "older_way",
        "The older way",
        "ways",
        older_way.older_way,
        "An RNN and an LSTM beside the decoder: the time a token takes, how far a gradient "
        "comes, and the loss reached.",
    ),
)

VIEWS: Mapping[str, View] = {view.name: view for view in _IN_ORDER}
"""All views, in the order in which they tell of a model."""
