/** What stands side by side on the stage for a step: tensors, and the signs between them. */

import type { Graph } from "../engine/graph";
import type { GraphNode } from "../wire";

/** A tensor, or what is done with its neighbours. */
export type Link = { tensor: string } | { sign: string };

/** Steps of a chain that is looked at as one: from scores to what each head gathered. */
const ATTENTION = new Set(["soft_cap", "alibi", "causal_mask", "softmax", "mix"]);

/** The chain that a step is shown in. */
export function chainOf(graph: Graph, node: GraphNode): Link[] {
  if (node.dims.includes("query") || node.kind === "mix") {
    if (ATTENTION.has(node.kind)) return attention(graph, node);
  }
  const [first, second] = node.inputs;
  switch (node.kind) {
    case "scores":
      return [...between(first, "⋅ transposed", second), ...to("=", node.name)];
    case "add":
      return [...between(first, "+", second), ...to("=", node.name)];
    case "gate":
      return [...between(first, "×", second), ...to("=", node.name)];
    case "linear":
      return linear(node);
    case "split_heads":
    case "remember":
      return handedOn(graph, node);
    case "merge_heads":
      return [tensor(first), ...to("side by side →", node.name)];
    case "embedding":
      return [...between(first, "picks rows of", node.parameters[0]), ...to("→", node.name)];
    case "layer_norm":
    case "rms_norm":
      return norm(node);
    default:
      return through(node);
  }
}

function linear(node: GraphNode): Link[] {
  const [weight, bias] = node.parameters;
  const sign = node.settings["transposed"] ? "⋅ transposed" : "⋅";
  const shift = bias ? [{ sign: "+" }, tensor(bias)] : [];
  return [...between(node.inputs[0], sign, weight), ...shift, ...to("=", node.name)];
}

/** A norm in two movements: to mean 0 and size 1, then to what was learned. */
function norm(node: GraphNode): Link[] {
  const normalized = node.extras.find(({ name }) => name.endsWith(".normalized"));
  if (!normalized) return through(node);
  const [gamma, beta] = node.parameters;
  const gain = gamma ? [{ sign: "×" }, tensor(gamma)] : [];
  const shift = beta ? [{ sign: "+" }, tensor(beta)] : [];
  const links = [tensor(node.inputs[0]), ...to("normalize →", normalized.name), ...gain, ...shift];
  return [...links, ...to("=", node.name)];
}

/** What it reads, and what it makes: the layout of any step without one of its own. */
function through(node: GraphNode): Link[] {
  const read = [...node.inputs, ...node.parameters];
  const sign = read.length === 1 ? `${node.kind.replaceAll("_", " ")} →` : "→";
  return [...read.map(tensor), ...to(sign, node.name)];
}

/** What is only handed on stands behind the step that made it. */
function handedOn(graph: Graph, node: GraphNode): Link[] {
  const [input] = node.inputs;
  const maker = graph.has(input) ? graph.owner(input) : null;
  const before = maker && MAKERS.has(maker.kind) ? chainOf(graph, maker) : [tensor(input)];
  return [...before, ...to(node.kind === "remember" ? "kept →" : "heads →", node.name)];
}

const MAKERS = new Set(["linear", "split_heads"]);

/** From the scores to the mixture, as far as the block goes: all of it is one movement. */
function attention(graph: Graph, node: GraphNode): Link[] {
  const scope = node.name.slice(0, node.name.indexOf(".attn.") + 6);
  const links: Link[] = [];
  for (const each of graph.nodes.filter(({ name }) => name.startsWith(scope))) {
    if (each.kind === "scores") links.push(tensor(each.name));
    else if (each.kind === "mix") {
      links.push({ sign: "⋅" }, tensor(each.inputs[1]), ...to("=", each.name));
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
