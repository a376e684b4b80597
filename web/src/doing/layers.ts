/** The layers of a tensor: its numbers, their gradients, what they were, and the difference. */

import type { Graph } from "../engine/graph";
import type { At, Run } from "../sources/source";
import type { Layer } from "./setting";

/** Runs to look at: the present one, and the same text without changes where there are any. */
export interface Runs {
  readonly run: Run | null;
  readonly before: Run | null;
}

export interface Numbers {
  readonly numbers: Float32Array;
  readonly layer: Layer;
  /** Where a number is another than without changes, row by row; null where nothing is changed. */
  readonly changed: readonly boolean[] | null;
}

/** The numbers of one layer, at places along some dims; null where this page has none. */
export async function numbersOf(
  { run, before }: Runs,
  layer: Layer,
  name: string,
  at: At,
): Promise<Numbers | null> {
  if (!run || !(name in run.shapes)) return null;
  if (layer === "gradient") {
    const numbers = await run.gradient(name, at);
    return numbers && { numbers, layer, changed: null };
  }
  const numbers = await run.tensor(name, at);
  // What an edit put in has no number before it; a tensor of another text has others.
  const known = before?.shapes[name]?.join() === run.shapes[name].join();
  if (!before || !known) return { numbers, layer: "value", changed: null };
  const old = await before.tensor(name, at);
  const changed = Array.from(numbers, (value, i) => !same(value, old[i]));
  if (layer === "before") return { numbers: old, layer, changed };
  return { numbers: layer === "difference" ? difference(numbers, old) : numbers, layer, changed };
}

/** Whether there is a gradient of a tensor or parameter: not of what a step keeps within. */
export function hasGradient(run: Run, graph: Graph, name: string): boolean {
  if (!("loss" in run.shapes)) return false;
  const steps = graph.neededFor(["loss"]);
  return steps.some((node) => node.name === name || node.parameters.includes(name));
}

/** What has been added to each number; 0 where −∞ stayed −∞. */
export function difference(values: Float32Array, old: Float32Array): Float32Array {
  return values.map((value, i) => (same(value, old[i]) ? 0 : value - old[i]));
}

/** Whether two numbers are one, NaN among them. */
export function same(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}
