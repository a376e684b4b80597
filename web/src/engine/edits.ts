/** Edits put into a graph: a step for each edit of a tensor. */

import type { Labels } from "../ops/evidence";
import type { EditData, GraphData } from "../wire";
import { BadEdit, type Shaped, stepOf } from "./edit_step";
import { Graph } from "./graph";
import { putBehind } from "./rewriting";

/** Knows names. */
interface Named {
  has(name: string): boolean;
}

/** A graph with a step for each edit of a tensor; `parameters` knows the names of weights. */
export function rewired(
  data: GraphData,
  parameters: Named,
  edits: readonly EditData[],
  labels: Labels,
): Graph {
  const length = labels["position"].length;
  let graph = data;
  for (const edit of edits) {
    for (const name of namesOf(edit, new Graph(data), parameters)) {
      if (parameters.has(name)) continue;
      graph = putBehind(graph, name, stepOf(edit, outline(data, name, length), labels));
    }
  }
  return new Graph(graph);
}

/** The tensors and parameters that an edit is of. */
export function namesOf(edit: EditData, graph: Graph, parameters: Named): string[] {
  if (edit.edit !== "mask_attention") {
    if (parameters.has(edit.name)) return [edit.name];
    if (!graph.has(edit.name)) throw new BadEdit(`There is no tensor "${edit.name}".`);
    return [graph.resolve(edit.name)];
  }
  const scores = graph.names.filter((name) => name.endsWith(".attn.masked_scores"));
  const layers = edit.layer == null ? scores.map((_, i) => i) : [edit.layer].flat();
  return layers.map((layer) => {
    if (!scores[layer]) throw new BadEdit(`There is no layer ${layer}.`);
    return scores[layer];
  });
}

/** A tensor as it will be, but for its numbers. */
function outline(data: GraphData, name: string, length: number): Shaped {
  const { dims } = new Graph(data).fact(name);
  const shape = dims.map((dim) =>
    ["position", "query", "key"].includes(dim) ? length : data.sizes[dim],
  );
  return { name, dims, shape };
}
