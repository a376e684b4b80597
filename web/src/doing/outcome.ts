/** What changes make of a run: what comes next, and how far they run onward. */

import { best } from "../sampling/filters";
import type { Run } from "../sources/source";
import { same } from "./layers";

/** The probability of a token to come next, without changes and with them. */
export interface Outcome {
  readonly id: number;
  readonly before: number;
  readonly after: number;
}

/** The likeliest tokens of either run, by what they are with the changes. */
export async function outcomes(before: Run, after: Run, few: number): Promise<Outcome[]> {
  const [was, is] = await Promise.all([before, after].map(lastProbabilities));
  const ids = new Set([...best(was, few), ...best(is, few)]);
  return [...ids]
    .map((id) => ({ id, before: was[id], after: is[id] }))
    .sort((a, b) => b.after - a.after || b.before - a.before);
}

async function lastProbabilities(run: Run): Promise<Float64Array> {
  return Float64Array.from(await run.tensor("probs", { position: run.ids.length - 1 }));
}

/** How many of a tensor's numbers are others than without changes. */
export interface Reached {
  readonly name: string;
  readonly changed: number;
  readonly size: number;
}

/** Every tensor in which a number has changed, in the order of `names`. */
export async function reached(
  before: Run,
  after: Run,
  names: readonly string[],
): Promise<Reached[]> {
  const both = names.filter(
    (name) => name in after.shapes && before.shapes[name]?.join() === after.shapes[name].join(),
  );
  const found = await Promise.all(both.map((name) => compared(before, after, name)));
  return found.filter(({ changed }) => changed > 0);
}

async function compared(before: Run, after: Run, name: string): Promise<Reached> {
  const [was, is] = await Promise.all([before.tensor(name), after.tensor(name)]);
  const changed = is.reduce((count, value, i) => count + (same(value, was[i]) ? 0 : 1), 0);
  return { name, changed, size: is.length };
}
