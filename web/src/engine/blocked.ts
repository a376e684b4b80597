/** Whether every query has a key left, once edits have shut some out; as in pellucid/trace/blocked.py. */

import { labelAt } from "../ops/evidence";
import { operationOf } from "../ops/registry";
import type { GraphNode } from "../wire";
import type { Graph } from "./graph";
import { BadEdit } from "./places";
import { type Tensor, vector, zeros } from "./tensor";

const EDITS = ["change", "mean_over"];

/**
 * Carry zeros, for any number, and −∞ from the scores of each block to its softmax.
 *
 * @param graph with the edits in it.
 * @throws BadEdit for a query that would have no key left.
 */
export function checkThatQueriesSee(graph: Graph, tokens: readonly string[]): void {
  if (!graph.nodes.some((node) => EDITS.includes(node.kind) && isOfPairs(node))) return;
  const length = tokens.length;
  const values = new Map<string, Tensor>([["positions", vector(tokens.map((_, i) => i))]]);
  for (const node of graph.nodes) {
    const source = values.get(node.inputs[0]);
    if (node.kind === "scores") {
      values.set(node.name, zeros([graph.sizes["head"], length, length]));
    } else if (source && isOfPairs(node)) {
      if (node.kind === "softmax") checkRows(node, source, tokens);
      else values.set(node.name, passedOn(node, source, values));
    }
  }
}

function passedOn(node: GraphNode, source: Tensor, values: ReadonlyMap<string, Tensor>): Tensor {
  if (node.kind !== "causal_mask" && !EDITS.includes(node.kind)) return source;
  const inputs = node.inputs.map((name) => values.get(name)!);
  return operationOf(node.kind).forward(inputs, [], node.settings).output;
}

function isOfPairs({ dims }: GraphNode): boolean {
  return dims.slice(-2).join() === "query,key";
}

function checkRows({ inputs }: GraphNode, scores: Tensor, tokens: readonly string[]): void {
  const keys = tokens.length;
  for (let row = 0; row < scores.data.length / keys; row++) {
    const open = scores.data.subarray(row * keys, (row + 1) * keys).some((s) => s !== -Infinity);
    if (open) continue;
    throw new BadEdit(
      `The edits leave the query ${labelAt(tokens, row % keys)} no key in head ` +
        `${Math.floor(row / keys)} of ${inputs[0]}: a softmax over nothing is no number. ` +
        "Leave it one, its own say.",
    );
  }
}
