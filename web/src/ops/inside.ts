/** What the intermediates of a step are made of, in the order in which they are made; "" is its output. */

import type { Read } from "./operation";

export type Inside = ReadonlyMap<string, readonly Read[]>;

/** By itself, so that a graph can be rewired without the operations. */
export const INSIDE = {
  layer_norm: () =>
    new Map([
      ["mean", ["input 0"]],
      ["rstd", ["input 0", "mean"]],
      ["normalized", ["input 0", "mean", "rstd"]],
      ["", ["normalized"]],
    ]),
  rms_norm: () =>
    new Map([
      ["rrms", ["input 0"]],
      ["normalized", ["input 0", "rrms"]],
      ["", ["normalized"]],
    ]),
  softmax: () =>
    new Map([
      ["max", ["input 0"]],
      ["sum", ["input 0", "max"]],
      ["", ["input 0", "max", "sum"]],
    ]),
  cross_entropy: () =>
    new Map([
      ["log_sum", ["input 0"]],
      ["", ["input 0", "input 1", "log_sum"]],
    ]),
  gelu: () => gated("cdf"),
  gelu_tanh: () => gated("cdf"),
  gelu_quick: () => gated("sigmoid"),
  silu: () => gated("sigmoid"),
  /** The waves are of positions, and of lengths where frequencies depend on them. */
  rotate(settings: unknown) {
    const { longer, growth } = (settings as Turning).frequencies;
    const angles = longer.length || growth ? ["input 1", "input 2"] : ["input 1"];
    return new Map([
      ["cos", angles],
      ["sin", angles],
      ["", ["input 0", "cos", "sin"]],
    ]);
  },
} satisfies Record<string, (settings: unknown) => Inside>;

interface Turning {
  readonly frequencies: { readonly longer: readonly number[]; readonly growth: unknown };
}

/** What a step of a kind that keeps intermediates is made of. */
export function insideOf(kind: string, settings: unknown): Inside {
  const found = (INSIDE as Record<string, (settings: unknown) => Inside>)[kind];
  if (!found) throw new Error(`A step of the kind "${kind}" keeps nothing.`);
  return found(settings);
}

/** Of a gate that keeps its share. */
export function gated(share: string): Inside {
  return new Map([
    [share, ["input 0"]],
    ["", ["input 0", share]],
  ]);
}
