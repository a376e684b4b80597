/** Edits put into a model for one run: steps in its graph, and other weights. */

import type { Labels } from "../ops/evidence";
import { operationOf } from "../ops/registry";
import type { EditData, GraphData } from "../wire";
import { stepOf } from "./edit_step";
import { namesOf, rewired } from "./edits";
import type { Parameter } from "./explain";
import { Graph } from "./graph";

export interface Edited {
  readonly graph: Graph;
  readonly parameters: ReadonlyMap<string, Parameter>;
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

/** Change a parameter, as a tensor is changed on its way. */
function changed(parameter: Parameter, edit: EditData, name: string): Parameter {
  const { tensor, dims } = parameter;
  const { kind, settings } = stepOf(edit, { name, dims, shape: tensor.shape }, {});
  const { output } = operationOf(kind).forward([tensor], [], settings);
  return { ...parameter, tensor: output };
}
