/** Edits put into a model for one run: a step in its graph for each, or other weights. */

import type { Labels } from "../ops/evidence";
import { operationOf } from "../ops/registry";
import type { EditData, GraphData } from "../wire";
import { BadEdit, type Shaped, stepOf } from "./edit_step";
import type { Parameter } from "./explain";
import { Graph } from "./graph";
import { putBehind } from "./rewriting";

export interface Edited {
  readonly graph: Graph;
  readonly parameters: ReadonlyMap<string, Parameter>;
}

/** Knows names. */
interface Named {
  has(name: string): boolean;
}

/**
 * Put edits in, one after the other.
 *
 * @param labels of the text: places are looked up among them.
 */
export function edited(
  data: GraphData,
  parameters: ReadonlyMap<string, Parameter>,
  edits: readonly EditData[],
  labels: Labels,
): Edited {
  const weights = new Map(parameters);
  for (const edit of edits) {
    for (const name of namesOf(edit, new Graph(data), parameters)) {
      const parameter = weights.get(name);
      if (parameter) weights.set(name, changed(parameter, edit, name));
    }
  }
  return { graph: rewired(data, parameters, edits, labels), parameters: weights };
}

/** The graph alone, with a step for each edit of a tensor; `parameters` knows their names. */
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

function namesOf(edit: EditData, graph: Graph, parameters: Named): string[] {
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

/** Change a parameter, as a tensor is changed on its way. */
function changed(parameter: Parameter, edit: EditData, name: string): Parameter {
  const { tensor, dims } = parameter;
  const { kind, settings } = stepOf(edit, { name, dims, shape: tensor.shape }, {});
  const { output } = operationOf(kind).forward([tensor], [], settings);
  return { ...parameter, tensor: output };
}

/** A tensor as it will be, but for its numbers. */
function outline(data: GraphData, name: string, length: number): Shaped {
  const { dims } = new Graph(data).fact(name);
  const shape = dims.map((dim) =>
    ["position", "query", "key"].includes(dim) ? length : data.sizes[dim],
  );
  return { name, dims, shape };
}
