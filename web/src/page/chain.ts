/** What stands side by side on the stage for a step: tensors, and the signs between them. */

import type { Graph } from "../engine/graph";
import type { GraphNode } from "../wire";

/** A tensor, or what is done with its neighbours. */
export type Link = { tensor: string } | { sign: string };

/** Steps that only hand on what they read: nobody looks at them for their own sake. */
const HANDED_ON = new Set(["split_heads", "remember", "merge_heads"]);
/** Steps of a chain that is looked at as one: from scores to what each head gathered. */
const ATTENTION = new Set(["soft_cap", "alibi", "causal_mask", "softmax", "mix"]);

/** The steps of a part that are worth a look of their own; all where there would be none. */
export function shownSteps(graph: Graph, steps: readonly string[]): string[] {
  const shown = steps.filter((name) => !HANDED_ON.has(graph.owner(name).kind) || isNamed(name));
  return shown.length ? shown : [...steps];
}

/** The chain that a step is shown in. */
export function chainOf(graph: Graph, node: GraphNode): Link[] {
  if (node.dims.includes("query") || node.kind === "mix") {
    if (ATTENTION.has(node.kind)) return attention(graph, node);
  }
  const [first, second] = node.inputs;
  switch (node.kind) {
    case "scores":
      return [...between(first, "· transposed", second), ...to("=", node.name)];
    case "add":
      return [...between(first, "+", second), ...to("=", node.name)];
    case "gate":
      return [...between(first, "×", second), ...to("=", node.name)];
    case "linear":
      return linear(node);
    default:
      return [...[...node.inputs, ...node.parameters].map(tensor), ...to("→", node.name)];
  }
}

function linear(node: GraphNode): Link[] {
  const [weight, bias] = node.parameters;
  const sign = node.settings["transposed"] ? "· transposed" : "·";
  const shift = bias ? [{ sign: "+" }, tensor(bias)] : [];
  return [...between(node.inputs[0], sign, weight), ...shift, ...to("=", node.name)];
}

/** From the scores to the mixture, as far as the block goes: all of it is one movement. */
function attention(graph: Graph, node: GraphNode): Link[] {
  const scope = node.name.slice(0, node.name.indexOf(".attn.") + 6);
  const links: Link[] = [];
  for (const each of graph.nodes.filter(({ name }) => name.startsWith(scope))) {
    if (each.kind === "scores") links.push(tensor(each.name));
    else if (each.kind === "mix") {
      links.push({ sign: "·" }, tensor(each.inputs[1]), ...to("=", each.name));
    } else if (ATTENTION.has(each.kind) && each.dims.includes("query")) {
      links.push(...to(SIGNS[each.kind], each.name));
    } else if (each.kind === "change" && each.dims.includes("query")) {
      links.push(...to("edit →", each.name));
    }
  }
  return links;
}

const SIGNS: Readonly<Record<string, string>> = {
  soft_cap: "cap →",
  alibi: "lower →",
  causal_mask: "mask →",
  softmax: "softmax →",
};

function between(a: string, sign: string, b: string): Link[] {
  return [tensor(a), { sign }, tensor(b)];
}

function to(sign: string, name: string): Link[] {
  return [{ sign }, tensor(name)];
}

function tensor(name: string): Link {
  return { tensor: name };
}

/** Queries, keys and values are what everybody speaks of. */
function isNamed(name: string): boolean {
  return /\.attn\.(q|k|v|out)$/.test(name);
}
