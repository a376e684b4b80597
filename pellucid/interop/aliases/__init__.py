"""Names that other programs give to tensors of ours: `docs/names.md` is the table."""

from __future__ import annotations

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.graph import Graph
from pellucid.interop.aliases import hugging_face, transformer_lens


def translate(name: str, graph: Graph) -> str | None:
    """Our name, or alias, of what another program calls so; None where none does.

    What a name stands for depends on the model: `mlp.hook_pre` is the gate, where there is one.

    Raises:
        PellucidError: there it is laid out otherwise, or is a part or a function of a tensor of
            ours, which is named.
    """
    # Of an edited graph, whose steps have others beside them, the names are the model's.
    plain = graph if graph.config is None else build_graph(graph.config)
    return transformer_lens.translate(name, plain) or hugging_face.translate(name, plain)
