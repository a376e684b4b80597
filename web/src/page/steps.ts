/** The steps of a part that are worth a look of their own; the others fold into their neighbours. */

import type { Graph } from "../engine/graph";

/** Steps that only hand on what they read: nobody looks at them for their own sake. */
export const HANDED_ON = new Set(["split_heads", "remember", "merge_heads"]);

export interface Step {
  /** The tensor that stands for all of them. */
  readonly name: string;
  /** With itself, the tensors that are looked at together with it. */
  readonly members: readonly string[];
}

/** Fold q_flat, q and what is kept of it into `q`, in the order in which they run. */
export function stepsOf(graph: Graph, names: readonly string[]): Step[] {
  const groups: string[][] = [];
  for (const name of names) {
    const { kind, inputs } = graph.owner(name);
    const before = groups.find((group) => group.includes(inputs[0]));
    if (before && HANDED_ON.has(kind) && !endsAttention(name)) before.push(name);
    else groups.push([name]);
  }
  return groups.map((members) => ({ name: members.find(isNamed) ?? members[0], members }));
}

/** The step that is looked at with a tensor. */
export function stepWith(steps: readonly Step[], name: string): Step | undefined {
  return steps.find(({ members }) => members.includes(name));
}

/** Queries, keys and values are what everybody speaks of. */
function isNamed(name: string): boolean {
  return /\.attn\.(q|k|v|out)$/.test(name);
}

function endsAttention(name: string): boolean {
  return name.endsWith(".attn.out");
}
