/** Runs a graph on one text, forwards. */

import type { Made } from "../ops/operation";
import { operationOf } from "../ops/registry";
import type { Graph } from "./graph";
import { type Tensor, vector } from "./tensor";

/** The values that a run left behind, what it was given among them. */
export type Values = Map<string, Tensor>;

/**
 * Run every step that the probabilities need, or the loss where there are targets.
 *
 * @param ids of the text, from its beginning.
 * @param targets of each position, −1 where there is none.
 */
export function forward(
  graph: Graph,
  parameters: ReadonlyMap<string, Tensor>,
  ids: readonly number[],
  targets: readonly number[] | null = null,
): Values {
  const values: Values = new Map([
    ["ids", vector(ids)],
    ["positions", vector(ids.map((_, place) => place))],
    ["lengths", { data: Float32Array.of(ids.length), shape: [] }],
  ]);
  if (targets) values.set("targets", vector(targets));
  for (const node of graph.neededFor(targets ? ["probs", "loss"] : ["probs"])) {
    const { output, extras }: Made = operationOf(node.kind).forward(
      node.inputs.map((name) => values.get(name)!),
      node.parameters.map((name) => parameters.get(name)!),
      node.settings,
    );
    node.extras.forEach(({ name }, i) => values.set(name, extras[i]));
    values.set(node.name, output);
  }
  return values;
}
