/** The way from the tour's text to the stage. */

import type { Graph } from "../engine/graph";
import type { Explorer } from "../page/explorer.svelte";
import type { Target } from "./stops";

/** The step that the stage shows for a tensor; for a parameter, the first that reads it. */
export function stageOf(graph: Graph, name: string): string | null {
  if (graph.has(name)) return graph.resolve(name);
  return graph.readers(name)[0]?.name ?? null;
}

/** Put on the stage what a text tells of; a cell is taken apart where this run has it. */
export function visit(explorer: Explorer, { name, index, head }: Target): void {
  const step = stageOf(explorer.graph, name);
  if (head !== undefined && head !== null) explorer.setHead(head);
  if (step) explorer.show(step);
  if (index && has(explorer, name, index)) void explorer.choose(name, index);
}

/** Whether a tensor of this run has a cell: another text may be shorter. */
export function has(explorer: Explorer, name: string, index: readonly number[]): boolean {
  const shape = explorer.shape(explorer.graph.resolve(name));
  return shape.length === index.length && index.every((place, i) => place < shape[i]);
}

/** The address of a tensor or a cell, or of a text, for who opens it elsewhere. */
export function hrefOf({ target, text }: { target?: Target; text: string | null }): string {
  const parts = new URLSearchParams();
  if (text !== null) parts.set("text", text);
  if (target) parts.set("show", target.name);
  if (target?.index) parts.set("cell", `${target.name}@${target.index.join(",")}`);
  return `#${parts}`;
}
