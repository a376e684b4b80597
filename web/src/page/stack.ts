/** The decoder as a map: its steps in groups, from the text at the bottom to the next token. */

import type { Graph } from "../engine/graph";
import { stepsOf } from "./steps";

/** A part of the stack: single steps, or what belongs together. */
export interface Part {
  /** The prefix that its steps share, `blocks.0.attn`, or the name of its only step. */
  readonly name: string;
  readonly title: string;
  readonly steps: readonly string[];
}

export interface Group {
  readonly title: string;
  readonly parts: readonly Part[];
}

const TITLES: Readonly<Record<string, string>> = {
  embed: "embeddings",
  attn: "attention",
  mlp: "feed-forward",
  resid_mid: "stream after attention",
  resid_post: "stream after feed-forward",
  norm1: "first norm",
  norm2: "second norm",
  final_norm: "last norm",
  probs: "probabilities",
};

/** Groups in the order in which they run. */
export function groupsOf(graph: Graph): Group[] {
  const steps = graph.nodes.map(({ name }) => name).filter((name) => !name.startsWith("loss"));
  const groups = new Map<string, string[]>();
  for (const name of steps) {
    const block = /^blocks\.\d+/.exec(name)?.[0] ?? name.split(".")[0];
    groups.set(block, [...(groups.get(block) ?? []), name]);
  }
  return [...groups].map(([block, names]) => ({
    title: titleOf(block),
    parts: partsOf(names),
  }));
}

/** The tensor that is looked at so many steps on; the same at either end. */
export function stepFrom(graph: Graph, name: string, by: number): string {
  const parts = groupsOf(graph).flatMap((group) => group.parts);
  const steps = parts.flatMap((part) => stepsOf(graph, part.steps));
  const here = steps.findIndex(({ members }) => members.includes(graph.owner(name).name));
  return steps[Math.min(Math.max(here + by, 0), steps.length - 1)].name;
}

/** The part that a step belongs to. */
export function partOf(graph: Graph, name: string): Part {
  const parts = groupsOf(graph).flatMap((group) => group.parts);
  const owner = graph.owner(name).name;
  return parts.find(({ steps }) => steps.includes(owner)) ?? lone(owner);
}

function partsOf(names: readonly string[]): Part[] {
  const parts = new Map<string, string[]>();
  for (const name of names) {
    const prefix = name.replace(/^(blocks\.\d+\.(?:attn|mlp)|embed)\..*/, "$1");
    parts.set(prefix, [...(parts.get(prefix) ?? []), name]);
  }
  return [...parts].map(([name, steps]) => ({ name, title: titleOf(name), steps }));
}

function titleOf(name: string): string {
  const block = /^blocks\.(\d+)$/.exec(name);
  if (block) return `block ${block[1]}`;
  const last = name.slice(name.lastIndexOf(".") + 1);
  return TITLES[last] ?? last.replaceAll("_", " ");
}

function lone(name: string): Part {
  return { name, title: titleOf(name), steps: [name] };
}
