"""What each token works out by itself: the feed-forward network and its three matrices."""

from __future__ import annotations

from pellucid.trace.cell import Place
from pellucid.trace.trace import Trace
from pellucid.views.catalogue.places import need_network, of_block, position_in
from pellucid.views.scene import Axis, Block, Layer, Matrix, Network


def feed_forward(trace: Trace, *, block: int = 0) -> tuple[Block, ...]:
    """The vectors of all tokens on their way through the network: widened, bent, narrowed.

    Raises PellucidError where the model has no such network.
    """
    need_network(trace)
    narrowed = {"mlp.out": "Narrowed: to be added to the stream"}
    if trace.config.gated_mlp:
        titles = {
            "mlp.pre": "Widened",
            "mlp.gate": "Gate: before the activation",
            "mlp.opened": f"Gate: activated by {trace.config.activation}",
            "mlp.post": "Widened, times the gate",
            **narrowed,
        }
    else:
        bend = trace.graph.node(of_block(trace, block, "mlp.post").name).op.kind
        titles = {
            "mlp.pre": "Widened: before the activation",
            "mlp.post": f"Activated by {bend}",
            **narrowed,
        }
    return tuple(
        Matrix.of(of_block(trace, block, name), title=title) for name, title in titles.items()
    )


def network(trace: Trace, *, block: int = 0, position: Place = -1) -> tuple[Block, ...]:
    """The network as a drawing: units with their numbers for one token, joined by the weights.

    Raises PellucidError where the model has no such network.
    """
    need_network(trace)
    pre, post, out = (of_block(trace, block, f"mlp.{name}") for name in ("pre", "post", "out"))
    at = position_in(post, position)
    entering = trace[trace.graph.node(pre.name).inputs[0]]
    titles = {entering: "input", post: "hidden", out: "output"}
    layers = tuple(
        Layer(title, tensor.values[at], Axis(tensor.dims[-1]), tensor.name)
        for tensor, title in titles.items()
    )
    weights = (of_block(trace, block, f"mlp.{name}").values for name in ("w_in", "w_out"))
    title = f"Feed-forward network for “{trace.tokens[at]}” at position {at}"
    gated = "Lines into the hidden units are w_in; a gate multiplies what they bring."
    note = gated if trace.config.gated_mlp else None
    return (Network(title, layers, tuple(weights), note),)
