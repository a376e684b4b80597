/** How numbers look in their cells: a hue for what they are, a strength for how much. */

import type { Shown } from "./shown";
import { kindOf, type MatrixKind } from "./kinds";

export interface Look {
  readonly kind: MatrixKind;
  /** What the numbers are called in a legend. */
  readonly called: string;
  /** The size at which a cell has its full colour; 0 where cells have none. */
  readonly limit: number;
}

const CALLED: Readonly<Record<MatrixKind, string>> = {
  signed: "activations",
  probability: "probabilities",
  weight: "weights",
  ids: "ids",
  plain: "figures",
};

export function lookOf(name: string, { extent, layer }: Pick<Shown, "extent" | "layer">): Look {
  if (layer === "gradient") return { kind: "signed", called: "gradients", limit: extent.reach };
  if (layer === "difference") {
    return { kind: "signed", called: "differences", limit: extent.reach };
  }
  const kind = kindOf(name);
  const called = CALLED[kind];
  if (kind === "ids" || kind === "plain") return { kind, called, limit: 0 };
  return { kind, called, limit: kind === "probability" ? 1 : extent.reach };
}

/** From 0 to 1. */
export function strength({ limit }: Look, value: number | undefined): number {
  return limit && value !== undefined && Number.isFinite(value)
    ? Math.min(Math.abs(value) / limit, 1)
    : 0;
}

/** A colour of the theme, by its name. */
export function hue({ kind }: Look, value: number | undefined): string {
  if (kind === "probability") return "--probability";
  return value! < 0 ? "--negative" : "--positive";
}
